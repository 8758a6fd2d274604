import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { StartOptions } from "../chat/chat_service.ts";
import type { ChatRequest } from "../chat/chat_request.ts";
import { sha256 } from "../platform/crypto/signer.ts";
import { isJsonObject } from "../platform/json.ts";
import { parseOrThrow, validationError } from "../schemas/api_error.ts";
import type { ChatProtocol } from "../schemas/chat_protocol.ts";
import { type ChatBody, chatBodySchema } from "../schemas/chat.ts";
import { type AnsweredCalls, answeredCallsSchema } from "../schemas/waiting_call.ts";
import { rejectProof } from "../schemas/reject_credentials.ts";
import { spendProof } from "../store/credentials/session_binding.ts";
import type { Session } from "../store/credentials/session_store.ts";
import type { MessagePlace } from "../services/publishing/choose_version.ts";
import type { RunSource } from "../store/runs/run_record.ts";
import type { ReadTransaction } from "../store/tx/read_transaction.ts";
import { checkAgent } from "./agent_access.ts";
import {
  authenticateChat,
  type ChatCaller,
  checkSessionOrigin,
  checkTokens,
} from "./authenticate_chat.ts";
import { parseJson, readJsonText } from "./bodies/read_json.ts";
import { chatIdempotency } from "./idempotency_key.ts";
import { recordRejectedOrigin } from "./record_rejected_origin.ts";

export type ChatContext = Pick<Context<State>, "req" | "state">;

export interface ChatMessage {
  /** Throws if the body is invalid: errors of the credential are reported first. */
  unwrapBody: () => ChatBody;
  /** What the client sent, if the service has added to the body: a repeated message is the same. */
  sentBody?: ChatBody;
  agentId: string | undefined;
  /** It answers calls of a run, and is no message. */
  answered?: AnsweredCalls;
  /** The id of its run; the same for every attempt at admission. */
  runId: string;
  address: string;
  protocol: ChatProtocol;
  /** A session is no credential. */
  keysOnly: boolean;
  /** Aborted when the client leaves, which cancels its run. */
  gone: AbortSignal | undefined;
}

export interface ReadMessageOptions {
  protocol: ChatProtocol;
  keysOnly?: boolean;
  /** Cancels the run when the client leaves: its format has neither stop nor resume. */
  cancelsWhenGone?: boolean;
  /** Turns a body of another format into ours; may throw an `ApiError`. */
  convert?: (body: unknown) => unknown;
}

export async function readChatMessage(
  { req, state }: ChatContext,
  { protocol, keysOnly = false, cancelsWhenGone = false, convert = (body) => body }:
    ReadMessageOptions,
): Promise<ChatMessage> {
  // Read at once: Deno reports only what happens from then on.
  const gone = cancelsWhenGone ? req.signal : undefined;
  const { service: { runtime }, rateLimiter } = state;
  const text = await readJsonText(req, runtime);
  const parsed = await parseBody(async () => await convert(parseJson(text)));
  const address = await rateLimiter.hashedAddress();
  return { ...parsed, runId: runtime.uuid(), address, protocol, keysOnly, gone };
}

const NO_MESSAGE = "answers to calls are read by formats whose streams end at a call";

/** Keeps the error, so that errors with higher precedence can be sent first. */
async function parseBody(
  read: () => Promise<unknown>,
): Promise<Pick<ChatMessage, "unwrapBody" | "agentId" | "answered">> {
  try {
    const json = await read();
    if (isJsonObject(json) && "calls" in json) {
      const answered = parseOrThrow(answeredCallsSchema, json);
      const unwrapBody = () => {
        throw validationError([{ path: "calls", code: "unrecognized_keys", message: NO_MESSAGE }]);
      };
      return { unwrapBody, agentId: answered.agentId, answered };
    }
    const body = parseOrThrow(chatBodySchema, json);
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
  { unwrapBody, sentBody, agentId, runId, address, protocol, keysOnly }: ChatMessage,
  view: ReadTransaction,
): Promise<{ request: ChatRequest } & Pick<StartOptions, "idempotency" | "sessionHash" | "proof">> {
  const { service, requestId } = ctx.state;
  const hints = { address, agentId, protocol, now: service.runtime.now() };
  const caller = await authenticateChat(ctx.req, ctx.state, { view, hints, keysOnly });
  if (caller.kind === "session") checkUnspent(caller, runId);
  const body = unwrapBody();
  checkTokens(caller, body);
  if (caller.kind === "key") checkAgent(caller, body.agentId);
  const sent = { caller, body: sentBody ?? body, keyed: service.keyedDigest };
  const idempotency = await chatIdempotency(ctx.req, sent);
  const { kind, id, tenant } = caller;
  const isPlayground = caller.kind === "session" && caller.session.playground;
  const of = { tenant, agentId: body.agentId, playground: isPlayground };
  const served = await service.agents.getForMessage(of, view);
  const { agent } = served;
  const sender = { kind, id, ...protocol !== "native" && { protocol } };
  const choose = (from: Pick<MessagePlace, "origin" | "visitor">) => {
    const newId = () => service.runtime.uuid();
    const place = { tenant, body, protocol, newId, ...from };
    return service.agents.chooseVersion(served, { place, reader: view });
  };
  const request = { tenant, body, runId, requestId, source: sender };
  if (caller.kind === "key") return { request: { ...request, ...await choose({}) }, idempotency };
  const { session, sessionToken, proof } = caller;
  recordRejectedOrigin(ctx, { tenant, agent }, () => checkSessionOrigin(ctx.req, session, agent));
  const sessionHash = await sha256(sessionToken);
  const place = placeOf(session);
  const source = place === undefined ? request.source : { ...request.source, place };
  const visitor = await service.sessions.visitorOf(session);
  const bound = { source, origin: session.origin, ...visitor && { visitor } };
  const chosen = await choose({ origin: session.origin, visitor: visitor?.hash });
  return { request: { ...request, ...bound, ...chosen }, idempotency, sessionHash, proof };
}

/** The admission of the message spends its proof. Before that, it may end no run that it `replaces`. */
function checkUnspent(
  { session, proof }: Extract<ChatCaller, { kind: "session" }>,
  runId: string,
): void {
  if (spendProof(session, { proof, runId }) === undefined) rejectProof();
}

/** Where a session is used, if not on a site. */
function placeOf({ share, playground }: Session): RunSource["place"] {
  if (share !== undefined) return "share";
  return playground ? "playground" : undefined;
}
