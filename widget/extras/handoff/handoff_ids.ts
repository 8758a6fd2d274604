/**
 * Ids of the strings in handoff_texts.ts, from HANDOFF on (text_ids.ts). The bundler inlines numbers of a
 * file without imports only.
 */

export const TALK_TO_A_PERSON = 288;
export const GO_ON_WRITING = 289;
export const LONGEST_WAIT = 290;
/** `$` stands for a name, here and in the next two. */
export const TALKING_TO = 291;
export const IS_TYPING = 292;
export const HAS_ENDED = 293;
export const NOBODY_THERE = 294;
export const ASSISTANT_AGAIN = 295;
export const LEAVE_A_MESSAGE = 296;
export const EMAIL = 297;
export const MESSAGE = 298;
/** `$` stands for an e-mail address. */
export const WE_WILL_WRITE = 299;
