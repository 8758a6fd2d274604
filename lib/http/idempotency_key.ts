import type { IdempotencyRequest } from "../billing/decide_run.ts";
import { canonicalJson } from "../platform/canonical_json.ts";
import { sha256 } from "../platform/crypto/signer.ts";
import { assertSafeJson, validationError } from "../schemas/api_error.ts";
import type { ChatBody } from "../schemas/chat.ts";
import { toKeyedFingerprint } from "../store/idempotency_store.ts";
import { keys } from "../store/keys/keys.ts";
import type { ChatCaller } from "./authenticate_chat.ts";

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

/** Independent of field order, without the fields `without`. Throws 400 for unsafe JSON. */
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

/**
 * Identifies a message that is sent again; `undefined` without an `Idempotency-Key`. With a session the
 * scope is agent, page, conversation and visitor, because the token may have been renewed. `keyed` makes a digest
 * useless for guessing messages without the key.
 */
export async function chatIdempotency(
  req: Request,
  { caller, body, keyed }: {
    caller: ChatCaller;
    body: ChatBody;
    keyed: (digest: string) => string;
  },
): Promise<IdempotencyRequest | undefined> {
  const isSession = caller.kind === "session";
  const key = readIdempotencyKey(req, isSession ? { min: SESSION_KEY_MIN_LENGTH } : {});
  if (key === undefined) return undefined;
  const scopeOfCaller = isSession
    ? [
      ...["session", body.agentId, caller.session.origin ?? "", body.conversationId ?? ""],
      // Another visitor's message must not find this run.
      ...(caller.session.visitor === undefined ? [] : [caller.session.visitor.hash]),
    ]
    : ["key", caller.id];
  const unkeyed = await requestFingerprint(body, { without: VOLATILE_CHAT_FIELDS });
  return {
    key: await chatRecordKey(caller.tenant, { caller: scopeOfCaller, key }),
    fingerprint: toKeyedFingerprint(unkeyed, keyed),
    legacyFingerprint: unkeyed,
    ttlMs: 24 * 60 * 60_000,
  };
}

/** Where the run that a message with the idempotency key `key` has started is recorded. */
export async function chatRecordKey(
  tenant: string,
  of: { caller: readonly string[]; key: string },
): Promise<Deno.KvKey> {
  const scope = await idempotencyScope({ route: "POST /v1/chat/stream", ...of });
  return keys.chatIdempotencyRecord(tenant, scope);
}

function omit(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
