import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { StartOptions } from "../chat/chat_service.ts";
import type { ChatRequest } from "../chat/prepare_run.ts";
import { sha256 } from "../platform/crypto/signer.ts";
import { parseOrThrow } from "../schemas/api_error.ts";
import { type ChatBody, chatBodySchema } from "../schemas/chat.ts";
import type { Session } from "../store/credentials/session_store.ts";
import type { RunSource } from "../store/runs/run_record.ts";
import type { ReadTransaction } from "../store/tx/read_transaction.ts";
import { authenticateChat, checkSessionOrigin, checkTokens } from "./authenticate_chat.ts";
import { parseJson, readJsonText } from "./bodies/read_json.ts";
import { chatIdempotency } from "./idempotency_key.ts";
import { recordRejectedOrigin } from "./record_rejected_origin.ts";

type ChatContext = Pick<Context<State>, "req" | "state">;

export interface ChatMessage {
  /** Throws if the body is invalid: errors of the credential are reported first. */
  unwrapBody: () => ChatBody;
  agentId: string | undefined;
  /** The id of its run; the same for every attempt at admission. */
  runId: string;
  address: string;
}

export async function readChatMessage({ req, state }: ChatContext): Promise<ChatMessage> {
  const { service: { runtime }, rateLimiter } = state;
  const text = await readJsonText(req, runtime);
  return { ...parseBody(text), runId: runtime.uuid(), address: await rateLimiter.hashedAddress() };
}

/** Keeps the error, so that errors with higher precedence can be sent first. */
function parseBody(text: string): Pick<ChatMessage, "unwrapBody" | "agentId"> {
  try {
    const body = parseOrThrow(chatBodySchema, parseJson(text));
    return { unwrapBody: () => body, agentId: body.agentId };
  } catch (error) {
    const unwrapBody = () => {
      throw error;
    };
    return { unwrapBody, agentId: undefined };
  }
}

/** Authenticates the sender and loads the agent, in the transaction that admits the message. */
export async function authorizeChatMessage(
  ctx: ChatContext,
  { unwrapBody, agentId, runId, address }: ChatMessage,
  view: ReadTransaction,
): Promise<{ request: ChatRequest } & Pick<StartOptions, "idempotency" | "sessionHash">> {
  const { service, requestId } = ctx.state;
  const hints = { address, agentId, now: service.runtime.now() };
  const caller = await authenticateChat(ctx.req, ctx.state, { view, hints });
  const body = unwrapBody();
  checkTokens(caller, body);
  const idempotency = await chatIdempotency(ctx.req, { caller, body, keyed: service.keyedDigest });
  const { kind, id, tenant } = caller;
  const agent = await service.agents.get(tenant, body.agentId, view);
  const request = { tenant, agent, body, runId, requestId, source: { kind, id } };
  if (caller.kind === "key") return { request, idempotency };
  const { session, sessionToken } = caller;
  recordRejectedOrigin(ctx, { tenant, agent }, () => checkSessionOrigin(ctx.req, session, agent));
  const sessionHash = await sha256(sessionToken);
  const place = placeOf(session);
  const source = place === undefined ? request.source : { ...request.source, place };
  return { request: { ...request, source, origin: session.origin }, idempotency, sessionHash };
}

/** Where a session is used, if not on a site. */
function placeOf({ share, playground }: Session): RunSource["place"] {
  if (share !== undefined) return "share";
  return playground ? "playground" : undefined;
}
