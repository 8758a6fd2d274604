/**
 * Ids of the strings in voice_texts.ts, from VOICE on (text_ids.ts). The bundler inlines numbers of a
 * file without imports only.
 */

export const READ_ALOUD = 128;
export const SPEAK = 129;
export const LISTENING = 130;
export const STOP_LISTENING = 131;
export const NO_MICROPHONE = 132;
export const NOTHING_HEARD = 133;
