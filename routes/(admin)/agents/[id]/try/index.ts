import { parseOrThrow } from "@/lib/errors.ts";
import { jsonHandler } from "@/lib/http/dashboard/dashboard_api.ts";
import { parseJson, readJsonText } from "@/lib/http/read_json.ts";
import { signedIn } from "@/lib/http/dashboard/signed_in.ts";
import { sseResponse } from "@/lib/http/sse_response.ts";
import { loadPlaygroundAgent } from "@/lib/http/dashboard/tried_agent.ts";
import { uuidParam } from "@/lib/http/uuid_param.ts";
import { playgroundChatBodySchema } from "@/lib/wire/tryout.ts";
import { define } from "@/utils.ts";

/**
 * A message of the playground: a run like any other, with its limits, its account and its frames, but
 * of an agent that need not be stored.
 */
export const handler = define.handlers({
  POST: jsonHandler(async (ctx) => {
    const { service, rateLimiter, requestId } = ctx.state;
    const { system, chat, closing } = service;
    const user = signedIn(ctx.state);
    const { form, version, ...said } = parseOrThrow(
      playgroundChatBodySchema,
      parseJson(await readJsonText(ctx.req, system)),
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
      runId: system.uuid(),
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
        least: minFirstStepCost,
        opening: startHook,
      });
      // Without a session and without an idempotency key there is no other outcome.
      if (admitted.kind !== "admitted") throw new Error(`a tried message was ${admitted.kind}`);
      return { begun: chat.begin(prepared, admitted) };
    });
    return sseResponse(await begun, { system, closing });
  }),
});
