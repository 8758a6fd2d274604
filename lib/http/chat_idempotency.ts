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

const KEPT_MS = 24 * 60 * 60_000;

/**
 * What makes a message sent again the same run: with a session the scope is agent, page and
 * conversation, because the token may have been renewed since; nothing without an `Idempotency-Key`.
 * `keyed` turns a digest into one that cannot be used to guess a message without the key.
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
  const who = isSession
    ? ["session", body.agentId, caller.session.origin ?? "", body.conversationId ?? ""]
    : ["key", caller.id];
  const route = "POST /v1/chat/stream";
  const scope = await idempotencyScope({ route, caller: who, key });
  const unkeyed = await requestFingerprint(body, { without: VOLATILE_CHAT_FIELDS });
  const receiptKey = keys.chatIdempotencyRecord(caller.tenant, scope);
  return {
    key: receiptKey,
    fingerprint: toKeyedFingerprint(unkeyed, keyed),
    legacyFingerprint: unkeyed,
    ttlMs: KEPT_MS,
  };
}
