import { ApiError, parseOrThrow } from "@/lib/schemas/api_error.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { jsonHandler } from "@/lib/dashboard/json_handler.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { callNumber } from "@/lib/http/reply_to_call.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { callDecisionSchema } from "@/lib/schemas/waiting_call.ts";
import { define } from "@/utils.ts";

/** A person's decision about a tool call that waits for one. */
export const handler = define.handlers({
  POST: jsonHandler(async (ctx) => {
    const { runs, inbox, conversationAudit, runtime } = ctx.state.service;
    const { tenant } = signedIn(ctx.state);
    const runId = uuidParam(ctx.params.runId);
    const n = callNumber(ctx.params.n);
    const text = await readJsonText(ctx.req, runtime);
    const reply = parseOrThrow(callDecisionSchema, parseJson(text));
    const live = await inbox.findLive(tenant, runId);
    if (live === undefined) throw new ApiError("not_found", "there is no such run");
    const { name } = await runs.answerCall({ tenant, runId, n }, { reply, by: "person" });
    await conversationAudit.recordDecision(live.facts, { tool: name, ...reply });
    return new Response(null, { status: 204 });
  }),
});
