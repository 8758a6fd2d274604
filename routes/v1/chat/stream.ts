import { refuseToken } from "@/lib/admin/session_admin.ts";
import { sha256 } from "@/lib/credentials/hashing.ts";
import { parseOrThrow } from "@/lib/errors.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { chatCaller, checkSessionOrigin, checkTokens } from "@/lib/http/chat_caller.ts";
import { parseJson, readJsonText } from "@/lib/http/read_json.ts";
import { sseResponse } from "@/lib/http/sse_response.ts";
import { chatBodySchema } from "@/lib/wire/chat.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service, requestId } = ctx.state;
    const text = await readJsonText(ctx.req, service.system);
    const caller = await chatCaller(ctx.req, ctx.state);
    const body = parseOrThrow(chatBodySchema, parseJson(text));
    checkTokens(caller, body);
    const agent = await service.agents.get(caller.tenant, body.agentId);
    if (caller.kind === "session") checkSessionOrigin(ctx.req, caller.session, agent);
    const run = await service.chat.begin({
      tenant: caller.tenant,
      agent,
      body,
      requestId,
      visitor: caller.kind === "session",
      startedBy: caller.id,
      admit: async (runId, hold) => {
        const session = caller.kind === "session" ? await sha256(caller.sessionToken) : undefined;
        const run = { runId, tenant: caller.tenant, hold, sessionHash: session };
        if (await ctx.state.meter.admit(run) === undefined) refuseToken();
      },
    });
    return sseResponse(run, { system: service.system });
  },
}));
