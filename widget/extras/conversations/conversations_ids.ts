/**
 * Ids of the strings in conversations_texts.ts, from CONVERSATIONS on (text_ids.ts). The bundler inlines numbers of a
 * file without imports only.
 */

export const EARLIER_CONVERSATIONS = 160;
export const EDIT = 161;
export const RENAME = 162;
export const DELETE = 163;
export const REALLY_DELETE = 164;
