import { ApiError, parseOrThrow } from "@/lib/schemas/api_error.ts";
import { jsonHandler } from "@/lib/dashboard/json_handler.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { playgroundCancelSchema } from "@/lib/schemas/playground.ts";
import { define } from "@/utils.ts";

/** Stops a run of this agent that was begun at the playground. */
export const handler = define.handlers({
  POST: jsonHandler(async (ctx) => {
    const { runs, runtime } = ctx.state.service;
    const { tenant } = signedIn(ctx.state);
    const body = parseJson(await readJsonText(ctx.req, runtime));
    const { runId } = parseOrThrow(playgroundCancelSchema, body);
    const found = await runs.find(tenant, runId);
    const head = "head" in found ? found.head : undefined;
    if (head?.source.kind !== "user" || head.agentId !== uuidParam(ctx.params.id)) {
      throw new ApiError("not_found", "there is no such run");
    }
    await runs.cancel(tenant, runId);
    return new Response(null, { status: 202 });
  }),
});
