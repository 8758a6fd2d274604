/** Ids of the strings in conversations_texts.ts. Inlined by the bundler. */
import { CONVERSATIONS } from "../text_ids.ts";

export const EARLIER_CONVERSATIONS = CONVERSATIONS;
export const EDIT = CONVERSATIONS + 1;
export const RENAME = CONVERSATIONS + 2;
export const DELETE = CONVERSATIONS + 3;
export const REALLY_DELETE = CONVERSATIONS + 4;
