/** Ids of the strings in branch_texts.ts. Inlined by the bundler. */
import { BRANCH } from "../text_ids.ts";

export const ASK_AGAIN = BRANCH;
export const EDIT = BRANCH + 1;
export const SAVE = BRANCH + 2;
export const CANCEL = BRANCH + 3;
export const NEW_ANSWER = BRANCH + 4;
