/**
 * Some proxies hold a stream back until it ends. Its answer is then read by polls: complete responses
 * with the frames that there are. A repeated message joins its run, so this needs no other request.
 */

/** Added to the address of a stream. */
export const POLL = "?wait=25";
export const POLL_PAUSE_MS = 1_000;
/** The service sends something at least every 10 seconds, so this silence means a dead connection. */
export const SILENCE_TIMEOUT_MS = 30_000;
/** The service opens each stream within 5 seconds, so one without a byte after this time is buffered. */
export const START_TIMEOUT_MS = 7_000;
/** What worked last, by the address of the service: `POLL`, or "" for streams. For the page's life. */
export const queries: Record<string, string> = {};
