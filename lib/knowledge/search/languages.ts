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
import { wordsOf } from "./words.ts";

/** A language whose words have stems that are known. */
export interface Language {
  readonly name: string;
  readonly stem: (word: string) => string;
  /** Words that every text has, in lower case. */
  readonly stops: ReadonlySet<string>;
}

/** The commoner first: of two that fit a text as well, it is the first. */
export const LANGUAGES: readonly Language[] = [
  language("english", english, englishStops),
  language("spanish", spanish, spanishStops),
  language("french", french, frenchStops),
  language("german", german, germanStops),
  language("portuguese", portuguese, portugueseStops),
  language("italian", italian, italianStops),
  language("dutch", dutch, dutchStops),
  language("russian", russian, russianStops),
  language("ukrainian", ukrainian, ukrainianStops),
  language("bulgarian", bulgarian, bulgarianStops),
  language("serbian", serbian, serbianStops),
  language("turkish", turkish, turkishStops),
  language("arabic", arabic, arabicStops),
  language("indonesian", indonesian, indonesianStops),
  language("hindi", hindi, hindiStops),
  language("nepali", nepali, nepaliStops),
  language("tamil", tamil, tamilStops),
  language("swedish", swedish, swedishStops),
  language("danish", danish, danishStops),
  language("norwegian", norwegian, norwegianStops),
  language("finnish", finnish, finnishStops),
  language("hungarian", hungarian, hungarianStops),
  language("romanian", romanian, romanianStops),
  language("greek", greek, greekStops),
  language("lithuanian", lithuanian, lithuanianStops),
];

function language(
  name: string,
  stem: (word: string) => string,
  stops: readonly string[],
): Language {
  // Contractions come apart in `wordsOf`, in texts and so in the list.
  const words = stops.flatMap((stop) => wordsOf(stop));
  return { name, stem, stops: new Set(words) };
}
