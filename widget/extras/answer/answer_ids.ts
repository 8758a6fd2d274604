/**
 * Ids of the strings in answer_texts.ts, from ANSWER on (text_ids.ts). The bundler inlines numbers of a
 * file without imports only.
 */

export const SOURCES = 32;
export const MESSAGES_LEFT = 33;
export const COPY_CONVERSATION = 34;
export const YOU = 35;
export const FOLLOW_UPS = 36;
