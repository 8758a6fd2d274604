/** Ids of the strings in handoff_texts.ts. Inlined by the bundler. */
import { HANDOFF } from "../text_ids.ts";

export const TALK_TO_A_PERSON = HANDOFF;
export const GO_ON_WRITING = HANDOFF + 1;
export const LONGEST_WAIT = HANDOFF + 2;
/** `$` stands for a name, here and in the next two. */
export const TALKING_TO = HANDOFF + 3;
export const IS_TYPING = HANDOFF + 4;
export const HAS_ENDED = HANDOFF + 5;
export const NOBODY_THERE = HANDOFF + 6;
export const ASSISTANT_AGAIN = HANDOFF + 7;
export const LEAVE_A_MESSAGE = HANDOFF + 8;
export const EMAIL = HANDOFF + 9;
export const MESSAGE = HANDOFF + 10;
/** `$` stands for an e-mail address. */
export const WE_WILL_WRITE = HANDOFF + 11;
