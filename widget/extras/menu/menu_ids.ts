/**
 * Ids of the strings in menu_texts.ts, from MENU_SHEET on (text_ids.ts). The bundler inlines numbers of a
 * file without imports only.
 */

export const CLOSE = 64;
