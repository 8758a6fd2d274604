/** Ids of the strings in menu_texts.ts. Inlined by the bundler. */
import { MENU_SHEET } from "../text_ids.ts";

export const CLOSE = MENU_SHEET;
