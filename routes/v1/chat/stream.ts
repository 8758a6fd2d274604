import { refuseToken } from "@/lib/admin/session_admin.ts";
import { sha256 } from "@/lib/credentials/hashing.ts";
import { ApiError, parseOrThrow } from "@/lib/errors.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { attempt } from "@/lib/http/attempt.ts";
import { chatCaller, checkSessionOrigin, checkTokens } from "@/lib/http/chat_caller.ts";
import { parseJson, readJsonText } from "@/lib/http/read_json.ts";
import { sseResponse } from "@/lib/http/sse_response.ts";
import { chatBodySchema } from "@/lib/wire/chat.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service, requestId, meter } = ctx.state;
    const { system, chat } = service;
    const text = await readJsonText(ctx.req, system);
    const sent = attempt(() => parseOrThrow(chatBodySchema, parseJson(text)));
    const runId = system.uuid();
    const address = await meter.address();
    const { prepared, admitted } = await meter.work(async (view) => {
      const reads = { address, agentId: sent.value?.agentId, now: system.now() };
      const caller = await chatCaller(ctx.req, ctx.state, { view, reads });
      const body = sent.get();
      checkTokens(caller, body);
      const { kind, id, tenant } = caller;
      const agent = await service.agents.get(tenant, body.agentId, view);
      if (kind === "session") checkSessionOrigin(ctx.req, caller.session, agent);
      const request = { tenant, agent, body, runId, requestId, source: { kind, id } };
      const prepared = await chat.prepare(request, view);
      const admitted = await meter.admit(view, {
        run: prepared.facts,
        hold: prepared.cost.most,
        least: prepared.cost.least,
        sessionHash: kind === "session" ? await sha256(caller.sessionToken) : undefined,
      });
      return { prepared, admitted };
    });
    if (admitted.kind === "gone") refuseToken();
    if (admitted.kind === "replayed") {
      const run = chat.find(prepared.facts.tenant, admitted.runId);
      if (run === undefined) throw new ApiError("stream_expired", "the run's frames are gone");
      return sseResponse(run, { system, headers: { "idempotency-replayed": "true" } });
    }
    return sseResponse(await chat.begin(prepared, admitted), { system });
  },
}));
