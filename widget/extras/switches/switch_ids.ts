/** Ids of the strings in switch_texts.ts. Inlined by the bundler. */
import { SWITCHES } from "../text_ids.ts";

export const WIDE = SWITCHES;
export const SOUND = SWITCHES + 1;
