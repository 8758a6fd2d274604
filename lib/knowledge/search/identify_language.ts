import { isKnowledgeLanguage, type KnowledgeLanguage } from "../../schemas/knowledge_languages.ts";
import { type Language, languageByCode, LANGUAGES } from "./languages.ts";

/** The detector reads some 350 bytes. */
const SAMPLE_LENGTH = 500;
/**
 * How far the best score must be ahead of the second to be certain, by the number of letters. Measured
 * on 3,915 titles in ten languages: this decides 55 % of them, and 98.5 % of these correctly. With fewer
 * than 12 letters, one in eight would be wrong whatever the lead.
 */
const CERTAINTY_LEADS = [{ letters: 16, lead: 0.1 }, { letters: 12, lead: 0.2 }];
/** Relative to the best score; 96 % of the correct languages score more. */
const MIN_CANDIDATE_SCORE = 0.75;
/** For texts too short to be certain, and for all others. */
const MAX_CANDIDATES = { tiny: 6, short: 3 };
/** The detector does not distinguish Malay from Indonesian. */
const DETECTOR_CODES: Readonly<Record<string, string>> = { ms: "id" };
const LETTER = /\p{L}/gu;

export interface LanguageGuess {
  /** Best first; empty for a text without letters or in a language without a stemmer. */
  candidates: readonly Language[];
  /** Then there is one candidate. */
  certain: boolean;
}

const UNKNOWN: LanguageGuess = { candidates: [], certain: false };

export type LanguageScorer = (text: string) => Readonly<Record<string, number>>;

let detector: Promise<LanguageScorer> | undefined;

/** Loads the language detector on first use, because it takes 20 MB and 0.1 to 0.2 s. */
export function loadDetector(): Promise<LanguageScorer> {
  return detector ??= import("./score_languages.ts").then(({ scoreLanguages }) => scoreLanguages);
}

export function identifyLanguage(text: string, score: LanguageScorer): LanguageGuess {
  const sample = text.slice(0, SAMPLE_LENGTH);
  const lead = requiredLead(sample);
  const scores = Object.entries(score(sample))
    .map(([code, score]) => ({ code: DETECTOR_CODES[code] ?? code, score }))
    .sort((a, b) => b.score - a.score);
  // A language without a stemmer, such as Czech.
  if (isAhead(scores, lead) && !isKnowledgeLanguage(scores[0]!.code)) return UNKNOWN;
  const ours = scores.flatMap(({ code, score }) => {
    if (!isKnowledgeLanguage(code) || hasForeignLetters(sample, code)) return [];
    return [{ language: languageByCode(code), score }];
  });
  if (ours.length === 0) return UNKNOWN;
  if (isAhead(ours, lead)) return certainGuess(ours[0]!.language);
  const candidates = ours.filter(({ score }) => score >= MIN_CANDIDATE_SCORE * ours[0]!.score)
    .slice(0, lead === Infinity ? MAX_CANDIDATES.tiny : MAX_CANDIDATES.short)
    .map(({ language }) => language);
  return { candidates, certain: false };
}

/**
 * Letters that a language does not use, though languages that the detector mistakes for it do. Without
 * them, two thirds of 240 Russian passages counted as possibly Bulgarian, Ukrainian or Serbian.
 */
const FOREIGN_LETTERS: Partial<Record<KnowledgeLanguage, RegExp>> = {
  bg: /[ыэёіїєґђјљњћџ]/giu,
  ru: /[іїєґђјљњћџ]/giu,
  sr: /[ыэёъйщюяьіїєґ]/giu,
  uk: /[ыэёъђјљњћџ]/giu,
  da: /[äöß]/giu,
  no: /[äöß]/giu,
  sv: /[æøß]/giu,
};
/** Texts also quote foreign names. */
const LETTERS_A_FOREIGN_ONE = 150;

function hasForeignLetters(text: string, code: KnowledgeLanguage): boolean {
  const foreign = FOREIGN_LETTERS[code] && text.match(FOREIGN_LETTERS[code])?.length;
  return !!foreign && foreign * LETTERS_A_FOREIGN_ONE >= (text.match(LETTER)?.length ?? 0);
}

const CERTAIN = new Map<Language, LanguageGuess>();

/** One object per language, because an index holds a guess for each passage. */
export function certainGuess(language: Language): LanguageGuess {
  let guess = CERTAIN.get(language);
  if (guess === undefined) CERTAIN.set(language, guess = { candidates: [language], certain: true });
  return guess;
}

function requiredLead(text: string): number {
  const letters = text.match(LETTER)?.length ?? 0;
  return CERTAINTY_LEADS.find((one) => letters >= one.letters)?.lead ?? Infinity;
}

/** Whether the first score is at least `lead` of itself ahead of the second. */
function isAhead(scores: readonly { score: number }[], lead: number): boolean {
  const [best, second] = scores;
  if (best === undefined || lead === Infinity) return false;
  return second === undefined || best.score - second.score >= lead * best.score;
}

const SAMPLE_WORDS = 40;
/** Shorter texts have too few stop words: "Store in a cool, dry place" would be Italian. */
const MIN_WORDS = 20;
/** Of stop words in the sample; prose has a third or more. */
const MIN_SHARE = 0.12;
/** Related languages share stop words. */
const MIN_LEAD = 1.5;

const LANGUAGES_BY_STOP_WORD = new Map<string, number[]>();
for (const [n, { stopWords: stops }] of LANGUAGES.entries()) {
  for (const word of stops) {
    const voters = LANGUAGES_BY_STOP_WORD.get(word);
    if (voters === undefined) LANGUAGES_BY_STOP_WORD.set(word, [n]);
    else voters.push(n);
  }
}

/** `undefined` if the text is short or its stop words are ambiguous. */
export function languageByStopWords(words: readonly string[]): Language | undefined {
  if (words.length < MIN_WORDS) return undefined;
  const votes = new Array<number>(LANGUAGES.length).fill(0);
  // Sampled from the whole text, because its first heading may be in another language.
  const step = Math.max(1, Math.floor(words.length / SAMPLE_WORDS));
  let sampled = 0;
  for (let at = 0; at < words.length; at += step) {
    sampled++;
    const voters = LANGUAGES_BY_STOP_WORD.get(words[at]!);
    if (voters !== undefined) { for (const n of voters) votes[n]!++; }
  }
  const [first, second] = votes.toSorted((a, b) => b - a) as [number, number];
  const clear = first >= sampled * MIN_SHARE && first >= second * MIN_LEAD;
  return clear ? LANGUAGES[votes.indexOf(first)] : undefined;
}
