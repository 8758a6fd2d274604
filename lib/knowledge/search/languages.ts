import { stemmer as arabic } from "@orama/stemmers/arabic";
import { stemmer as bulgarian } from "@orama/stemmers/bulgarian";
import { stemmer as danish } from "@orama/stemmers/danish";
import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as english } from "@orama/stemmers/english";
import { stemmer as finnish } from "@orama/stemmers/finnish";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as greek } from "@orama/stemmers/greek";
import { stemmer as hungarian } from "@orama/stemmers/hungarian";
import { stemmer as hindi } from "@orama/stemmers/indian";
import { stemmer as indonesian } from "@orama/stemmers/indonesian";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as lithuanian } from "@orama/stemmers/lithuanian";
import { stemmer as nepali } from "@orama/stemmers/nepali";
import { stemmer as norwegian } from "@orama/stemmers/norwegian";
import { stemmer as portuguese } from "@orama/stemmers/portuguese";
import { stemmer as romanian } from "@orama/stemmers/romanian";
import { stemmer as russian } from "@orama/stemmers/russian";
import { stemmer as serbian } from "@orama/stemmers/serbian";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import { stemmer as swedish } from "@orama/stemmers/swedish";
import { stemmer as tamil } from "@orama/stemmers/tamil";
import { stemmer as turkish } from "@orama/stemmers/turkish";
import { stemmer as ukrainian } from "@orama/stemmers/ukrainian";
import { stopwords as arabicStops } from "@orama/stopwords/arabic";
import { stopwords as bulgarianStops } from "@orama/stopwords/bulgarian";
import { stopwords as danishStops } from "@orama/stopwords/danish";
import { stopwords as dutchStops } from "@orama/stopwords/dutch";
import { stopwords as englishStops } from "@orama/stopwords/english";
import { stopwords as finnishStops } from "@orama/stopwords/finnish";
import { stopwords as frenchStops } from "@orama/stopwords/french";
import { stopwords as germanStops } from "@orama/stopwords/german";
import { stopwords as greekStops } from "@orama/stopwords/greek";
import { stopwords as hungarianStops } from "@orama/stopwords/hungarian";
import { stopwords as hindiStops } from "@orama/stopwords/indian";
import { stopwords as indonesianStops } from "@orama/stopwords/indonesian";
import { stopwords as italianStops } from "@orama/stopwords/italian";
import { stopwords as lithuanianStops } from "@orama/stopwords/lithuanian";
import { stopwords as nepaliStops } from "@orama/stopwords/nepali";
import { stopwords as norwegianStops } from "@orama/stopwords/norwegian";
import { stopwords as portugueseStops } from "@orama/stopwords/portuguese";
import { stopwords as romanianStops } from "@orama/stopwords/romanian";
import { stopwords as russianStops } from "@orama/stopwords/russian";
import { stopwords as serbianStops } from "@orama/stopwords/serbian";
import { stopwords as spanishStops } from "@orama/stopwords/spanish";
import { stopwords as swedishStops } from "@orama/stopwords/swedish";
import { stopwords as tamilStops } from "@orama/stopwords/tamil";
import { stopwords as turkishStops } from "@orama/stopwords/turkish";
import { stopwords as ukrainianStops } from "@orama/stopwords/ukrainian";
import type { KnowledgeLanguage } from "../../schemas/knowledge_languages.ts";
import { POLISH_STOP_WORDS, stemPolish } from "./polish.ts";
import { stemWord } from "./stem_word.ts";
import { splitWords } from "./split_words.ts";

export interface Language {
  readonly code: KnowledgeLanguage;
  readonly stem: (word: string) => string;
  readonly stopWords: ReadonlySet<string>;
}

/** The most common languages first, because they win a tie. */
const BY_CODE: Readonly<Record<KnowledgeLanguage, Language>> = {
  // The list lacks "a".
  en: language("en", english, [...englishStops, "a"]),
  es: language("es", spanish, spanishStops),
  fr: language("fr", french, frenchStops),
  de: language("de", german, germanStops),
  pt: language("pt", portuguese, portugueseStops),
  it: language("it", italian, italianStops),
  nl: language("nl", dutch, dutchStops),
  pl: language("pl", stemPolish, POLISH_STOP_WORDS),
  ru: language("ru", russian, russianStops),
  uk: language("uk", ukrainian, ukrainianStops),
  bg: language("bg", bulgarian, bulgarianStops),
  sr: language("sr", serbian, serbianStops),
  tr: language("tr", turkish, turkishStops),
  ar: language("ar", arabic, arabicStops),
  id: language("id", indonesian, indonesianStops),
  hi: language("hi", hindi, hindiStops),
  ne: language("ne", nepali, nepaliStops),
  ta: language("ta", tamil, tamilStops),
  sv: language("sv", swedish, swedishStops),
  da: language("da", danish, danishStops),
  no: language("no", norwegian, norwegianStops),
  fi: language("fi", finnish, finnishStops),
  hu: language("hu", hungarian, hungarianStops),
  ro: language("ro", romanian, romanianStops),
  el: language("el", greek, greekStops),
  lt: language("lt", lithuanian, lithuanianStops),
};

export const LANGUAGES: readonly Language[] = Object.values(BY_CODE);

/** For texts of unknown language. */
export const DEFAULT_LANGUAGE: Language = BY_CODE.en;

export function languageByCode(code: KnowledgeLanguage): Language {
  return BY_CODE[code];
}

function language(
  code: KnowledgeLanguage,
  stem: (word: string) => string,
  stops: readonly string[],
): Language {
  // `splitWords` splits contractions.
  const words = stops.flatMap((stop) => splitWords(stop));
  return { code, stem: (word) => stemWord(word, { code, stem }), stopWords: new Set(words) };
}
