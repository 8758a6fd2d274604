/** What is said, as its place in a language's line of strings. The bundler puts in the numbers. */
export const OPEN = 0;
export const CLOSE = 1;
export const FRESH = 2;
export const GREETING = 3;
export const WRITE = 4;
export const SEND = 5;
export const STOP = 6;
export const LATEST = 7;
export const RETRY = 8;
export const COPY = 9;
export const PARTIAL = 10;
export const ASSISTANT = 11;
export const LEFT = 12;
export const OFFLINE = 13;
export const RELOAD = 14;
export const GONE = 15;
export const WRONG = 16;
