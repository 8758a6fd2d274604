import type { IdempotencyRequest } from "../billing/decide_run.ts";
import { toKeyedFingerprint } from "../store/idempotency_store.ts";
import { keys } from "../store/keys/keys.ts";
import type { ChatBody } from "../schemas/chat.ts";
import type { ChatCaller } from "./authenticate_chat.ts";
import {
  idempotencyScope,
  readIdempotencyKey,
  requestFingerprint,
  SESSION_KEY_MIN_LENGTH,
  VOLATILE_CHAT_FIELDS,
} from "./idempotency_key.ts";

const RECORD_TTL_MS = 24 * 60 * 60_000;

/**
 * Identifies a message that is sent again; `undefined` without an `Idempotency-Key`. With a session the
 * scope is agent, page and conversation, because the token may have been renewed. `keyed` makes a digest
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
    ? ["session", body.agentId, caller.session.origin ?? "", body.conversationId ?? ""]
    : ["key", caller.id];
  const route = "POST /v1/chat/stream";
  const scope = await idempotencyScope({ route, caller: scopeOfCaller, key });
  const unkeyed = await requestFingerprint(body, { without: VOLATILE_CHAT_FIELDS });
  return {
    key: keys.chatIdempotencyRecord(caller.tenant, scope),
    fingerprint: toKeyedFingerprint(unkeyed, keyed),
    legacyFingerprint: unkeyed,
    ttlMs: RECORD_TTL_MS,
  };
}
