/** Ids of the strings in feedback_texts.ts. Inlined by the bundler. */
import { FEEDBACK } from "../text_ids.ts";

export const GOOD_ANSWER = FEEDBACK;
export const BAD_ANSWER = FEEDBACK + 1;
export const WHAT_WAS_WRONG = FEEDBACK + 2;
export const THANK_YOU = FEEDBACK + 3;
export const SEND_FEEDBACK = FEEDBACK + 4;
