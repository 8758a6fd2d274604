import { ApiError, parseOrThrow } from "@/lib/schemas/api_error.ts";
import { jsonHandler } from "@/lib/dashboard/json_handler.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { assertSize } from "@/lib/http/reply_to_call.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { playgroundCallSchema } from "@/lib/schemas/playground.ts";
import { define } from "@/utils.ts";

/** Answers a call that waits, in a run that the same user has begun at the playground. */
export const handler = define.handlers({
  POST: jsonHandler(async (ctx) => {
    const { runs, runtime } = ctx.state.service;
    const { tenant, id: userId } = signedIn(ctx.state);
    const body = parseJson(await readJsonText(ctx.req, runtime));
    const { runId, n, reply } = parseOrThrow(playgroundCallSchema, body);
    const found = await runs.find(tenant, runId);
    const head = "head" in found ? found.head : undefined;
    const isTheirs = head?.source.kind === "user" && head.source.id === userId;
    if (!isTheirs || head.agentId !== uuidParam(ctx.params.id)) {
      throw new ApiError("not_found", "there is no such run");
    }
    assertSize(reply);
    // The user who tries an agent decides in place of the visitor and of the team.
    await runs.answerCall({ tenant, runId, n }, { reply, by: "key" });
    return new Response(null, { status: 204 });
  }),
});
