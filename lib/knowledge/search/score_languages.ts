// @ts-types="eld"
import { eld } from "eld/extrasmall";

/** Scores of the languages a text may be in, by ISO 639-1 code, between 0 and 1; empty without letters. */
export function scoreLanguages(text: string): Readonly<Record<string, number>> {
  return eld.detect(text).getScores();
}
