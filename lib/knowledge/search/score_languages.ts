// @ts-types="eld"
import { eld } from "eld/extrasmall";

/** Scores between 0 and 1 by ISO 639-1 code; empty without letters. */
export function scoreLanguages(text: string): Readonly<Record<string, number>> {
  return eld.detect(text).getScores();
}
