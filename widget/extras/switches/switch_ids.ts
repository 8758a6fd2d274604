/**
 * Ids of the strings in switch_texts.ts, from SWITCHES on (text_ids.ts). The bundler inlines numbers of a
 * file without imports only.
 */

export const WIDE = 224;
export const SOUND = 225;
