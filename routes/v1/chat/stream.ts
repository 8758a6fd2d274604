import type { RunRegistry } from "@/lib/chat/run_registry.ts";
import { rejectSessionToken } from "@/lib/schemas/credential_errors.ts";
import { sha256 } from "@/lib/platform/crypto/hashing.ts";
import { ApiError, parseOrThrow } from "@/lib/schemas/api_error.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { tryResult } from "@/lib/http/try_result.ts";
import { authenticateChat, checkSessionOrigin, checkTokens } from "@/lib/http/authenticate_chat.ts";
import { chatIdempotency } from "@/lib/http/chat_idempotency.ts";
import { recordRejectedOrigin } from "@/lib/http/record_rejected_origin.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { sseResponse } from "@/lib/http/sse_response.ts";
import { chatBodySchema } from "@/lib/schemas/chat.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service, requestId, rateLimiter } = ctx.state;
    const { runtime, chat } = service;
    const text = await readJsonText(ctx.req, runtime);
    const sent = tryResult(() => parseOrThrow(chatBodySchema, parseJson(text)));
    const runId = runtime.uuid();
    const address = await rateLimiter.hashedAddress();
    const { begun, replayed } = await rateLimiter.transact(async (view) => {
      const reads = { address, agentId: sent.value?.agentId, now: runtime.now() };
      const caller = await authenticateChat(ctx.req, ctx.state, { view, reads });
      const body = sent.unwrap();
      checkTokens(caller, body);
      const receipt = await chatIdempotency(ctx.req, { caller, body, keyed: service.keyedDigest });
      const { kind, id, tenant } = caller;
      const agent = await service.agents.get(tenant, body.agentId, view);
      if (kind === "session") {
        recordRejectedOrigin(ctx, { tenant, agent }, () => {
          checkSessionOrigin(ctx.req, caller.session, agent);
        });
      }
      const origin = kind === "session" ? caller.session.origin : undefined;
      const request = { tenant, agent, body, runId, requestId, origin, source: { kind, id } };
      const prepared = await chat.prepare(request, view);
      const admitted = await rateLimiter.admitRun(view, {
        run: prepared.facts,
        hold: prepared.hold,
        minHold: prepared.minFirstStepCost,
        idempotency: receipt,
        startHook: prepared.startHook,
        sessionHash: kind === "session" ? await sha256(caller.sessionToken) : undefined,
      });
      if (admitted.kind === "gone") rejectSessionToken();
      // Begun in the same breath as it is let in: who repeats the message finds the run.
      return admitted.kind === "admitted"
        ? { begun: chat.begin(prepared, admitted) }
        : { replayed: { tenant, runId: admitted.runId, receipt: receipt!.key } };
    });
    const options = { runtime, closing: service.closing };
    if (begun !== undefined) return sseResponse(await begun, options);
    const headers = { "idempotency-replayed": "true" };
    const local = await chat.begun(replayed.runId);
    if (local === undefined) await requireLog(service.runs, replayed);
    const run = local ?? service.runs.follow(replayed.tenant, replayed.runId);
    return sseResponse(run, { ...options, headers });
  },
}));

/** Waits until the run that a repeated message means may be followed; 410 when its frames are gone. */
async function requireLog(
  runs: RunRegistry,
  replayed: { tenant: string; runId: string; receipt: Deno.KvKey },
): Promise<void> {
  const { state } = await runs.waitUntilOpen(replayed);
  if (state === "refused") {
    throw new ApiError("service_unavailable", "no model has accepted this message; send it again");
  }
  if (state !== "running" && state !== "ended") {
    throw new ApiError("stream_expired", "the frames of this message's run are gone");
  }
}
