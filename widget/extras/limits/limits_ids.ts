/**
 * Ids of the strings in limits_texts.ts, from LIMITS on (text_ids.ts). The bundler inlines numbers of a
 * file without imports only.
 */

export const BUDGET_USED = 192;
export const AVAILABLE_AGAIN = 193;
