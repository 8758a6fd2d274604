/** Maximum checks in one atomic on a SQLite file and on Deno Deploy (Deno 2.9). */
export const DEFAULT_MAX_CHECKS = 100;
/** The same for a `denokv` server. Source: `denokv_proto/limits.rs`, 0.13. */
const SERVER_MAX_CHECKS = 10;

/** How Deno reports a `denokv` server's 4xx; the server's own message follows the status. */
const FROM_SERVER = /^KV Connect failed to call '[^']*' \(status=4\d\d[^)]*\): /;

const TOO_MANY_CHECKS = /^Too many checks\b/;
const STATED_MAXIMUM = /\(max (\d+)\)/;
const TOO_LARGE =
  /^(Value|Total mutation size|Total key size) too large|^A value exceeds the value size limit|^The total size of the atomic write is too large/;

/**
 * An invalid call, or a stored value that cannot be decoded: a retry will not help. The class does not
 * distinguish these errors: a locked file is a `TypeError` too. Source: Deno 2.9, denokv 0.14.
 */
const INVALID_CALL = new RegExp(
  "^(" + [
    "Key too large",
    "A key exceeds the key size limit",
    "Too many (checks|mutations|ranges|entries|keys|read ranges)",
    "The total number of entries requested",
    "The read range limit",
    "invalid cursor$",
    "key cannot be empty",
    "expireIn must be",
    "Invalid (check|mutation|range|versionstamp|database id)",
    "(Start|End) key is",
    "expected string, number",
    "serde_v8 error",
    "unknown variant",
    "Failed to perform '",
    "could not deserialize value",
    "(a )?stored record (\\S+ )?cannot be decoded",
  ].join("|") + ")|could not be cloned\\.$",
);

/** True if a commit was rejected for its size; nothing was written, and a retry will not help. */
export function isTooLargeError(error: unknown): boolean {
  return TOO_LARGE.test(messageOf(error));
}

/** True if the call itself is invalid, so that the same call cannot succeed later. */
export function isInvalidCallError(error: unknown): boolean {
  return isTooLargeError(error) || INVALID_CALL.test(messageOf(error));
}

/**
 * How many checks the store accepts in one atomic, after it rejected `sent` of them: the maximum in the
 * message, else the known maximum of a server, else half. `undefined` if the error has another cause or
 * no smaller number is left to try.
 */
export function learnMaxChecks(error: unknown, sent: number): number | undefined {
  const message = messageOf(error);
  if (!TOO_MANY_CHECKS.test(message)) return undefined;
  const stated = STATED_MAXIMUM.exec(message)?.[1];
  const known = sent > SERVER_MAX_CHECKS ? SERVER_MAX_CHECKS : Math.floor(sent / 2);
  const learned = stated === undefined ? known : Number(stated);
  return learned < 1 || learned >= sent ? undefined : learned;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(FROM_SERVER, "") : "";
}
