import { canonicalJson } from "../platform/canonical_json.ts";
import { sha256 } from "../platform/crypto/hashing.ts";
import { assertSafeJson, validationError } from "../schemas/api_error.ts";

const MAX_LENGTH = 255;

/**
 * Fields of a chat body that a repeated request may differ in: the token is swapped while a page
 * lives on, and a client may number its attempts.
 */
export const VOLATILE_CHAT_FIELDS = ["sessionToken", "requestId"] as const;

/** What sessions must send at least: their keys share a scope with other visitors of the page. */
export const SESSION_KEY_MIN_LENGTH = 16;

/**
 * The request's `Idempotency-Key`, taken as it is; `undefined` when there is none. 400 unless it is
 * `min` (1) to 255 visible ASCII characters, which two headers, put together by a comma and a blank,
 * are not either.
 */
export function readIdempotencyKey(
  req: Request,
  options: { min?: number } = {},
): string | undefined {
  const key = req.headers.get("idempotency-key");
  if (key === null) return undefined;
  const { min = 1 } = options;
  if (/^[\x21-\x7e]*$/.test(key) && key.length >= min && key.length <= MAX_LENGTH) return key;
  const message = `must be ${min}-${MAX_LENGTH} visible characters`;
  throw validationError([{ path: "Idempotency-Key", code: "invalid_header", message }]);
}

/**
 * Tells requests apart that share a key: a hash of `value`, parsed JSON, whatever the order of its
 * fields; those `without` do not count. 400 for what no schema would take (see `assertSafeJson`).
 */
export async function requestFingerprint(
  value: unknown,
  options: { without?: readonly string[] } = {},
): Promise<string> {
  assertSafeJson(value);
  return await sha256(canonicalJson(omit(value, options.without ?? [])));
}

/**
 * The scope of a key, as a hash: `route` is method and path with the ids in it, `caller` who asks.
 * The same key elsewhere, or of somebody else, is another one.
 */
export async function idempotencyScope(
  parts: { route: string; caller: readonly string[]; key: string },
): Promise<string> {
  return await sha256(JSON.stringify([parts.route, parts.caller, parts.key]));
}

function omit(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
