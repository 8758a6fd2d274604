/** Indexes of the strings in a language's line: the launcher's, then the panel's. Inlined by the bundler. */
export const OPEN_CHAT = 0;
export const CLOSE_CHAT = 1;
export const WRITE_MESSAGE = 2;
export const RETRY = 3;
export const UNAVAILABLE = 4;
export const ASSISTANT = 5;
export const NEW_CONVERSATION = 6;
export const GREETING = 7;
export const SEND = 8;
export const STOP = 9;
export const JUMP_TO_LATEST = 10;
export const COPY = 11;
export const INCOMPLETE = 12;
export const OFFLINE = 13;
export const RELOAD_PAGE = 14;
export const GENERIC_ERROR = 15;
export const MORE = 16;
