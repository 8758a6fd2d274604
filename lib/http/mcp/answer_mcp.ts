// @ts-types="@modelcontextprotocol/sdk/types"
import { type CallToolResult, ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { McpMessage } from "../../schemas/mcp.ts";
import { rejectApiKey } from "../../schemas/reject_credentials.ts";
import type { ApiKeyIdentity } from "../../store/credentials/api_key_store.ts";
import { readJsonText } from "../bodies/read_json.ts";
import { logFailure, toApiError } from "../error_response.ts";
import { bearerKey, identifyKey } from "../identify_key.ts";
import { findAsk } from "./find_ask.ts";
import {
  checkProtocolVersion,
  hasValidParams,
  McpMessageError,
  parseMcpMessage,
  readSessionId,
} from "./mcp_message.ts";
import { answerMessage, type CallContext } from "./mcp_server.ts";
import { listTools, maySearch, SEARCH_KNOWLEDGE } from "./mcp_tools.ts";
import { relayRun } from "./relay_run.ts";
import { searchKnowledge } from "./search_knowledge.ts";
import { cancelAsk, startAsk, type StartedAsk } from "./start_ask.ts";
import { apiErrorResult, toolErrorResult } from "./tool_result.ts";

type McpContext = Context<State>;

/** What a tool call is after admission: a run, a finished result, or `undefined` for an unknown tool. */
type Call = { run: StartedAsk } | { result: CallToolResult } | undefined;

/** Answers one JSON-RPC message. Throws an `ApiError` for what is an error of HTTP, such as a limit. */
export async function answerMcp(ctx: McpContext): Promise<Response> {
  const { req, state: { service, rateLimiter } } = ctx;
  checkOrigin(req, service.baseUrl);
  const text = await readJsonText(req, service.runtime);
  // A session token is no credential here.
  if (bearerKey(req) === undefined) rejectApiKey();
  const identity = await identifyKey(req, ctx.state);
  const count = () => rateLimiter.countWithKey((reader) => identifyKey(req, ctx.state, { reader }));
  try {
    const message = parseMcpMessage(text);
    checkProtocolVersion(req);
    const sessionId = readSessionId(req);
    const call = isToolCall(message)
      ? await admitCall(ctx, { identity, message, sessionId })
      : undefined;
    if (call === undefined || "result" in call) await count();
    if (message.id === undefined) return await accept(ctx, { identity, message, sessionId });
    if (!hasValidParams(message)) return invalidParams(message);
    return await answerRequest(ctx, { identity, message, call });
  } catch (error) {
    // A request that is rejected before its admission counts against its key too.
    if (error instanceof McpMessageError || isOfTool(error)) await count();
    if (!(error instanceof McpMessageError)) throw error;
    return error.toResponse();
  }
}

/** A page of another site must not reach the service through a visitor's browser (DNS rebinding). */
function checkOrigin(req: Request, baseUrl: string): void {
  const origin = req.headers.get("origin");
  if (origin === null || origin === new URL(baseUrl).origin) return;
  throw new ApiError("origin_not_allowed", "pages of other sites may not call the MCP server");
}

function isToolCall(message: McpMessage): message is McpMessage & { id: string | number } {
  return message.method === "tools/call" && message.id !== undefined && hasValidParams(message);
}

/** A notification gets no answer; a cancellation stops the run of its request. */
async function accept(
  ctx: McpContext,
  { identity, message: { method, params }, sessionId }: {
    identity: ApiKeyIdentity;
    message: McpMessage;
    sessionId: string | undefined;
  },
): Promise<Response> {
  const id = params?.requestId;
  const isId = typeof id === "string" || typeof id === "number";
  if (method === "notifications/cancelled" && isId) {
    await cancelAsk(ctx, { identity, call: { sessionId, id } });
  }
  return new Response(null, { status: 202 });
}

/** Admits a tool call before its stream begins, so that a limit is an ordinary 429. */
async function admitCall(
  ctx: McpContext,
  { identity, message, sessionId }: {
    identity: ApiKeyIdentity;
    message: McpMessage & { id: string | number };
    sessionId: string | undefined;
  },
): Promise<Call> {
  const { service } = ctx.state;
  const { name, arguments: input = {} } = message.params as { name: string; arguments?: unknown };
  const { tenant } = identity;
  try {
    if (name === SEARCH_KNOWLEDGE) {
      if (!maySearch(identity)) return undefined;
      // Counted before the search: a limit must save its work.
      await ctx.state.rateLimiter.countWithKey((reader) =>
        identifyKey(ctx.req, ctx.state, { reader })
      );
      return { result: await searchKnowledge(service, { tenant, input }) };
    }
    const found = await findAsk(service, { identity, tool: name, input });
    if (found === undefined || "result" in found) return found;
    const call = { sessionId, id: message.id };
    return { run: await startAsk(ctx, { identity, ask: found.ask, call }) };
  } catch (error) {
    if (!isOfTool(error)) throw error;
    return { result: apiErrorResult(error) };
  }
}

/** True for an error that a model can correct; others are errors of HTTP. */
function isOfTool(error: unknown): error is ApiError {
  return error instanceof ApiError && [400, 404, 422].includes(error.status);
}

async function answerRequest(
  ctx: McpContext,
  { identity, message, call }: { identity: ApiKeyIdentity; message: McpMessage; call: Call },
): Promise<Response> {
  const { req, state: { service } } = ctx;
  const acceptsEvents = (req.headers.get("accept") ?? "").includes("text/event-stream");
  const isRun = call !== undefined && "run" in call;
  const response = await answerMessage(message, {
    body: isRun ? (acceptsEvents ? "events" : "later json") : "json",
    methods: {
      list: (cursor) => listTools(service, { holder: identity, cursor }),
      call: async (context) => {
        if (call === undefined) return undefined;
        return "result" in call ? call.result : await followAsk(ctx, call.run, context);
      },
    },
  });
  // Every process accepts it: it only tells apart the requests of clients with the same key.
  if (message.method === "initialize") {
    response.headers.set("mcp-session-id", service.runtime.uuid());
  }
  if (call !== undefined && "run" in call) {
    if (call.run.replayed) response.headers.set("idempotency-replayed", "true");
    else response.headers.set("x-run-id", call.run.runId);
  }
  return response;
}

/** Relays a run to its client, and cancels it when the client is gone. */
async function followAsk(
  ctx: McpContext,
  { tenant, runId, replayed, open }: StartedAsk,
  { signal, onProgress }: CallContext,
): Promise<CallToolResult> {
  const { closing, runs } = ctx.state.service;
  const cancel = () => replayed ? undefined : void runs.cancel(tenant, runId).catch(() => {});
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const ended = AbortSignal.any([signal, closing]);
    const result = await relayRun(await open(), { signal: ended, onProgress });
    return result ?? toolErrorResult("the service is restarting; try again");
  } catch (thrown) {
    const error = toApiError(thrown);
    logFailure(ctx, { thrown, status: error.status });
    return apiErrorResult(error);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function invalidParams({ id }: McpMessage): Response {
  const error = { code: ErrorCode.InvalidParams, message: "params: are not valid for this method" };
  return Response.json({ jsonrpc: "2.0", id, error });
}
