/** Types of `@agent-chat/client/bind`. */

/**
 * A `fetch` for `chat()`, `feedback()` and `handoff()` that signs every call of a session with a key
 * of this browser (RFC 9449). The session is bound to that key by its first call, or when it is minted;
 * from then on its token is worthless elsewhere. Create it once and pass it to every call.
 *
 * The key is generated once per origin and kept in IndexedDB, where no script can read it; without
 * IndexedDB, in Node for example, it lives as long as the page or process.
 */
export function boundFetch(fetcher?: typeof fetch): typeof fetch;

/**
 * The thumbprint (RFC 7638) of this browser's key, for your backend to mint with
 * `bind: { jkt }`: then no other key can ever use the session.
 */
export function keyThumbprint(): Promise<string>;
