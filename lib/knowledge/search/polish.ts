// @ts-types="./stemmer_pl.d.ts"
import StemmerPl from "@nlpjs/lang-pl/src/stemmer-pl.js";
import { foldDiacritics } from "./fold_diacritics.ts";

const stemmer = new StemmerPl();

/** A light stemmer of endings. Its rules expect words without diacritics. */
export function stemPolish(word: string): string {
  const [stem] = stemmer.stem([foldDiacritics(word)]);
  return stem ?? word;
}

/** The library of the other stop words has no Polish ones. */
export const POLISH_STOP_WORDS: readonly string[] = (
  "a aby albo ale ani aż bez bo bowiem być był była było były będzie będą bądź by co coś czy czyli " +
  "dla do dlaczego dlatego gdy gdzie gdyż go i ich im ile in innych inne iż ja jak jaka jakie jaki " +
  "jako je jego jej jemu jest jestem jeszcze jeśli jeżeli już każdy każda każde kiedy kim kto ktoś " +
  "która które którego której który których którym którzy lub ma mają mam mi mnie mogą moja moje " +
  "może można mój mu musi my na nad nam nami nas nasz nasza nasze natomiast nic nich nie niej niego " +
  "nim niż no o od on ona one oni ono oraz po pod ponieważ poza przed przez przy raz również są się " +
  "siebie skąd sobie swoje ta tak taka takie taki także tam te tego tej ten też to tobie tu tutaj " +
  "twój twoja twoje ty tych tylko tym u w wam was wasz wasza wasze we wiele wszystko wszystkich " +
  "wszystkie więc z za ze że żadna żadne żaden żeby"
).split(" ");
