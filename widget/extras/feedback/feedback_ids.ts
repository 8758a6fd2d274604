/**
 * Ids of the strings in feedback_texts.ts, from FEEDBACK on (text_ids.ts). The bundler inlines numbers of a
 * file without imports only.
 */

export const GOOD_ANSWER = 0;
export const BAD_ANSWER = 1;
export const WHAT_WAS_WRONG = 2;
export const THANK_YOU = 3;
export const SEND_FEEDBACK = 4;
