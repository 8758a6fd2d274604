/**
 * Ids of the strings in memory_texts.ts, from MEMORY on (text_ids.ts). The bundler inlines numbers of a
 * file without imports only.
 */

export const WHAT_I_REMEMBER = 352;
export const NOTHING_YET = 353;
export const DELETE_ALL = 354;
