/** Ids of the strings in voice_texts.ts. Inlined by the bundler. */
import { VOICE } from "../text_ids.ts";

export const READ_ALOUD = VOICE;
export const SPEAK = VOICE + 1;
export const LISTENING = VOICE + 2;
export const STOP_LISTENING = VOICE + 3;
export const NO_MICROPHONE = VOICE + 4;
export const NOTHING_HEARD = VOICE + 5;
