import { EventLoopYielder } from "../../platform/event_loop_yielder.ts";
import { foldDiacritics } from "../../knowledge/search/fold_diacritics.ts";
import { DEFAULT_LANGUAGE, type Language, LANGUAGES } from "../../knowledge/search/languages.ts";
import { splitWords } from "../../knowledge/search/split_words.ts";

/** Questions at least this similar are of one group, measured on 16 questions in three to five wordings each. */
const MIN_SIMILARITY = 0.38;
/** Groups that share only terms with more groups than this are not compared: the terms say too little. */
const MAX_CANDIDATES = 200;

interface Question {
  question: string;
}

interface Group<T> {
  members: T[];
  /** The sums of the members' vectors, and their length. */
  terms: Map<string, number>;
  length: number;
}

type Vector = ReadonlyMap<string, number>;

/**
 * Groups questions that ask for the same in similar words: each joins the group that is most similar to
 * it, by the cosine of their words' stems, weighted by rarity. Questions in other words stay apart. Yields
 * to the event loop.
 */
export async function groupQuestions<T extends Question>(
  questions: readonly T[],
): Promise<T[][]> {
  const yielder = new EventLoopYielder();
  const same = [...Map.groupBy(questions, ({ question }) => normalized(question))]
    // The most frequent ones first, so that the others gather around them.
    .sort(([, a], [, b]) => b.length - a.length);
  const vectors = toVectors(same.map(([, [first]]) => first!.question));
  const groups: Group<T>[] = [];
  const byTerm = new Map<string, number[]>();
  for (const [n, [, members]] of same.entries()) {
    if (yielder.isDue) await yielder.yield();
    const vector = vectors[n]!;
    const found = mostSimilar(vector, { groups, byTerm });
    const at = found ?? groups.push({ members: [], terms: new Map(), length: 0 }) - 1;
    const group = groups[at]!;
    group.members.push(...members);
    for (const [term, weight] of vector) {
      if (!group.terms.has(term)) {
        const others = byTerm.get(term);
        if (others === undefined) byTerm.set(term, [at]);
        else others.push(at);
      }
      group.terms.set(term, (group.terms.get(term) ?? 0) + weight);
    }
    group.length = lengthOf(group.terms);
  }
  return groups.map(({ members }) => members);
}

/** The question of a group that has most in common with the others; the first of equal ones. */
export function typicalQuestion(questions: readonly string[]): string {
  const readable = questions.filter((question) => question !== "");
  const vectors = toVectors(readable);
  const sum = new Map<string, number>();
  for (const vector of vectors) {
    for (const [term, weight] of vector) sum.set(term, (sum.get(term) ?? 0) + weight);
  }
  const scores = vectors.map((vector) => dotProduct(vector, sum) / lengthOf(vector));
  const best = scores.indexOf(Math.max(...scores));
  return readable[best] ?? readable[0] ?? "";
}

function mostSimilar<T>(
  vector: Vector,
  { groups, byTerm }: {
    groups: readonly Group<T>[];
    byTerm: ReadonlyMap<string, readonly number[]>;
  },
): number | undefined {
  const candidates = new Set<number>();
  const rarest = [...vector].sort(([, a], [, b]) => b - a);
  for (const [term] of rarest) {
    for (const at of byTerm.get(term) ?? []) candidates.add(at);
    if (candidates.size >= MAX_CANDIDATES) break;
  }
  const length = lengthOf(vector);
  let best: { at: number; similarity: number } | undefined;
  for (const at of candidates) {
    const group = groups[at]!;
    const similarity = dotProduct(vector, group.terms) / (length * group.length);
    if (similarity < MIN_SIMILARITY || (best && best.similarity >= similarity)) continue;
    best = { at, similarity };
  }
  return best?.at;
}

function dotProduct(one: Vector, other: Vector): number {
  let product = 0;
  for (const [term, weight] of one) product += weight * (other.get(term) ?? 0);
  return product;
}

function lengthOf(vector: Vector): number {
  let sum = 0;
  for (const weight of vector.values()) sum += weight * weight;
  return Math.sqrt(sum);
}

/** The stems of each question's words with their rarity among the questions. */
function toVectors(questions: readonly string[]): Vector[] {
  const words = questions.map(splitWords);
  const languages = words.map(languageOf);
  const usual = mostFrequent(languages) ?? DEFAULT_LANGUAGE;
  const terms = words.map((some, n) => termsOf(some, languages[n] ?? usual));
  const counts = new Map<string, number>();
  for (const term of terms.flatMap((some) => [...some])) {
    counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  const rarity = (term: string) => Math.log(1 + questions.length / counts.get(term)!);
  return terms.map((some) => new Map([...some].map((term) => [term, rarity(term)])));
}

/** The language with most stop words in a question; `undefined` if there is none, or several. */
function languageOf(words: readonly string[]): Language | undefined {
  const counts = LANGUAGES.map(({ stopWords }) => words.filter((one) => stopWords.has(one)).length);
  const most = Math.max(...counts);
  const at = counts.indexOf(most);
  return most === 0 || at !== counts.lastIndexOf(most) ? undefined : LANGUAGES[at];
}

function termsOf(words: readonly string[], { stopWords, stem }: Language): Set<string> {
  const content = words.filter((word) => !stopWords.has(word));
  const used = content.length > 0 ? content : words;
  return new Set(used.map((word) => foldDiacritics(stem(word))));
}

function mostFrequent(languages: readonly (Language | undefined)[]): Language | undefined {
  const known = Map.groupBy(languages.filter((one) => one !== undefined), (one) => one);
  return [...known].sort(([, a], [, b]) => b.length - a.length)[0]?.[0];
}

function normalized(question: string): string {
  return splitWords(question).join(" ");
}
