/** Ids of the strings in answer_texts.ts. Inlined by the bundler. */
import { ANSWER } from "../text_ids.ts";

export const SOURCES = ANSWER;
export const MESSAGES_LEFT = ANSWER + 1;
export const COPY_CONVERSATION = ANSWER + 2;
export const YOU = ANSWER + 3;
export const FOLLOW_UPS = ANSWER + 4;
