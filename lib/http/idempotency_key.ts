import { canonicalJson } from "../platform/canonical_json.ts";
import { sha256 } from "../platform/crypto/hashing.ts";
import { assertSafeJson, validationError } from "../schemas/api_error.ts";

const MAX_LENGTH = 255;

/** May change in a repeated request: pages renew their token, clients may number attempts. */
export const VOLATILE_CHAT_FIELDS = ["sessionToken", "requestId"] as const;

/** Minimum for sessions, because all visitors of a page share one key scope. */
export const SESSION_KEY_MIN_LENGTH = 16;

/**
 * The request's `Idempotency-Key`; `undefined` when there is none. Throws 400 unless it has `min` (1)
 * to 255 visible ASCII characters, which also rejects two headers joined by a comma and a space.
 */
export function readIdempotencyKey(
  req: Request,
  { min = 1 }: { min?: number } = {},
): string | undefined {
  const key = req.headers.get("idempotency-key");
  if (key === null) return undefined;
  if (/^[\x21-\x7e]*$/.test(key) && key.length >= min && key.length <= MAX_LENGTH) return key;
  const message = `must be ${min}-${MAX_LENGTH} visible characters`;
  throw validationError([{ path: "Idempotency-Key", code: "invalid_header", message }]);
}

/**
 * Hashes parsed JSON independently of field order, leaving out the top-level fields `without`. Throws
 * 400 for unsafe JSON (see `assertSafeJson`).
 */
export async function requestFingerprint(
  value: unknown,
  { without = [] }: { without?: readonly string[] } = {},
): Promise<string> {
  assertSafeJson(value);
  return await sha256(canonicalJson(omit(value, without)));
}

/** Hashes a key with its `route` (method and path, ids included) and its caller. */
export async function idempotencyScope(
  { route, caller, key }: { route: string; caller: readonly string[]; key: string },
): Promise<string> {
  return await sha256(JSON.stringify([route, caller, key]));
}

function omit(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
