import type { StartedRun } from "../../chat/chat_service.ts";
import { sha256 } from "../../platform/crypto/signer.ts";
import type { ChatBody } from "../../schemas/chat.ts";
import type { ApiKeyIdentity } from "../../store/credentials/api_key_store.ts";
import type { ChatContext } from "../chat_message.ts";
import { earlierMessages } from "../earlier_messages.ts";
import { chatRecordKey, readIdempotencyKey } from "../idempotency_key.ts";
import { admitChat } from "../start_chat.ts";

/** A JSON-RPC request in the session of its client. */
export interface CallName {
  sessionId: string | undefined;
  id: string | number;
}

export interface Ask {
  agentId: string;
  message: string;
  conversationId?: string | undefined;
}

export type StartedAsk = StartedRun & { tenant: string; runId: string };

/**
 * Admits a question and begins its run like `POST /v1/chat/stream`: the same limits, idempotency and
 * accounting. Throws an `ApiError`.
 */
export async function startAsk(
  ctx: ChatContext,
  { identity: { tenant }, ask, call }: { identity: ApiKeyIdentity; ask: Ask; call: CallName },
): Promise<StartedAsk> {
  const { service, rateLimiter } = ctx.state;
  const { agentId, message, conversationId } = ask;
  const question = { role: "user" as const, content: message };
  const sentBody: ChatBody = {
    agentId,
    messages: [question],
    ...(conversationId && { conversationId }),
  };
  const earlier = conversationId === undefined
    ? []
    : await earlierMessages(service, { tenant, agentId, conversationId });
  const body = { ...sentBody, messages: [...earlier, question] };
  const runId = service.runtime.uuid();
  const started = await admitChat(
    { req: await namedRequest(ctx.req, call), state: ctx.state },
    {
      unwrapBody: () => body,
      // Without the earlier messages, which have changed when the request is sent again.
      sentBody,
      ...{ agentId, runId, address: await rateLimiter.hashedAddress() },
      ...{ protocol: "mcp", keysOnly: true, gone: undefined },
    },
  );
  return { ...started, runId };
}

/** Cancels the run that a request of this session has started, in whichever process it executes. */
export async function cancelAsk(
  ctx: ChatContext,
  { identity, call }: { identity: ApiKeyIdentity; call: CallName },
): Promise<void> {
  const { service: { runs }, rateLimiter } = ctx.state;
  const key = readIdempotencyKey(await namedRequest(ctx.req, call));
  if (key === undefined) return;
  const { tenant, id } = identity;
  const recordKey = await chatRecordKey(tenant, { caller: ["key", id], key });
  const { value } = await rateLimiter.transact((view) => view.get<{ runId: string }>(recordKey));
  if (value !== null) await runs.cancel(tenant, value.runId);
}

/**
 * The credential of a request, and its idempotency key. Without an `Idempotency-Key`, the session and the
 * id of the JSON-RPC request are one, because ids are unique in a session: a request that is sent again
 * gets the same run, and a cancellation finds its run.
 */
async function namedRequest(req: Request, { sessionId, id }: CallName): Promise<Request> {
  const headers = new Headers({ authorization: req.headers.get("authorization") ?? "" });
  const digest = await sha256(JSON.stringify(id));
  const key = req.headers.get("idempotency-key") ??
    (sessionId === undefined ? undefined : `mcp:${sessionId}:${digest}`);
  if (key !== undefined) headers.set("idempotency-key", key);
  return new Request(req.url, { headers });
}
