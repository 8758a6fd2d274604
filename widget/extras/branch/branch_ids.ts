/**
 * Ids of the strings in branch_texts.ts, from BRANCH on (text_ids.ts). The bundler inlines numbers of a
 * file without imports only.
 */

export const ASK_AGAIN = 96;
export const EDIT = 97;
export const SAVE = 98;
export const CANCEL = 99;
export const NEW_ANSWER = 100;
