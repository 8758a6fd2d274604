import { parseOrThrow } from "@/lib/schemas/api_error.ts";
import { jsonHandler } from "@/lib/dashboard/json_handler.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { signedIn } from "@/lib/dashboard/permissions.ts";
import { sseResponse } from "@/lib/http/sse_response.ts";
import { loadPlaygroundAgent } from "@/lib/dashboard/agents/playground.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { playgroundChatBodySchema } from "@/lib/schemas/playground.ts";
import { define } from "@/utils.ts";

/**
 * A message of the playground: a run like any other, with its limits, its account and its frames, but
 * of an agent that need not be stored.
 */
export const handler = define.handlers({
  POST: jsonHandler(async (ctx) => {
    const { service, rateLimiter, requestId } = ctx.state;
    const { runtime, chat, closing } = service;
    const user = signedIn(ctx.state);
    const { form, version, ...said } = parseOrThrow(
      playgroundChatBodySchema,
      parseJson(await readJsonText(ctx.req, runtime)),
    );
    const id = uuidParam(ctx.params.id);
    const agent = await loadPlaygroundAgent(service.agents, {
      tenant: user.tenant,
      id,
      body: { ...(form && { form }), ...(version && { version }) },
    });
    const request = {
      tenant: user.tenant,
      agent,
      body: { ...said, agentId: id },
      runId: runtime.uuid(),
      requestId,
      // Its conversations are no other page's, and no API key's.
      origin: new URL(service.baseUrl).origin,
      source: { kind: "user" as const, id: user.id },
    };
    const { begun } = await rateLimiter.transact(async (view) => {
      const prepared = await chat.prepare(request, view);
      const { facts: run, hold, minFirstStepCost, startHook } = prepared;
      const admitted = await rateLimiter.admitRun(view, {
        run,
        hold,
        minHold: minFirstStepCost,
        startHook: startHook,
      });
      // Without a session and without an idempotency key there is no other outcome.
      if (admitted.kind !== "admitted") throw new Error(`a tried message was ${admitted.kind}`);
      return { begun: chat.begin(prepared, admitted) };
    });
    return sseResponse(await begun, { runtime, closing });
  }),
});
