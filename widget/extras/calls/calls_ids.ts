/**
 * Ids of the strings in calls_texts.ts, from CALLS on (text_ids.ts). The bundler inlines numbers of a
 * file without imports only.
 */

export const ALLOW_THIS = 320;
export const ALLOW = 321;
export const DO_NOT_ALLOW = 322;
export const WAITING = 323;
