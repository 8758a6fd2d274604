/** Indexes of the strings in a line of feedback_languages.ts. Inlined by the bundler. */
export const GOOD_ANSWER = 0;
export const BAD_ANSWER = 1;
export const WHAT_WAS_WRONG = 2;
export const THANK_YOU = 3;
export const SEND_FEEDBACK = 4;
