/** Checks that one atomic may hold on the SQLite file and on Deno Deploy (Deno 2.9). */
export const DEFAULT_MAX_CHECKS = 100;
/** The same of a `denokv` server. Source: `denokv_proto/limits.rs`, 0.13. */
const SERVER_MAX_CHECKS = 10;

/** How a `denokv` server's 4xx reaches us; its own words follow the status. */
const FROM_SERVER = /^KV Connect failed to call '[^']*' \(status=4\d\d[^)]*\): /;

const TOO_MANY_CHECKS = /^Too many checks\b/;
const STATED_MAXIMUM = /\(max (\d+)\)/;
const TOO_LARGE =
  /^(Value|Total mutation size|Total key size) too large|^A value exceeds the value size limit|^The total size of the atomic write is too large/;

/**
 * A call that is wrong in itself, also a value that is no longer readable: trying again is in vain. The
 * error's class does not tell: a locked file is a `TypeError` as well. Source: Deno 2.9, denokv 0.14.
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

/** Whether a commit was refused for its size: nothing of it was made, and trying again is in vain. */
export function isTooLarge(error: unknown): boolean {
  return TOO_LARGE.test(messageOf(error));
}

/** Whether the call itself is at fault, so that the same call cannot succeed later. */
export function isInvalidCall(error: unknown): boolean {
  return isTooLarge(error) || INVALID_CALL.test(messageOf(error));
}

/**
 * How many checks the store takes in one atomic, after it has refused `sent` of them: the maximum that it
 * states, else what that kind of engine is known to take, else half. `undefined` when the refusal has
 * another reason, or no smaller number is left to try.
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
