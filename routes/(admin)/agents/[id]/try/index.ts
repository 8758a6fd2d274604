import { parseOrThrow } from "@/lib/schemas/api_error.ts";
import { keepsAccess } from "@/lib/dashboard/sign_in/keeps_access.ts";
import { jsonHandler } from "@/lib/dashboard/json_handler.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { endingReplaced } from "@/lib/http/start_chat.ts";
import { sseResponse } from "@/lib/http/sse_response.ts";
import { loadPlaygroundAgent } from "@/lib/dashboard/agents/playground.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { playgroundChatBodySchema } from "@/lib/schemas/playground.ts";
import { define } from "@/utils.ts";

/** Runs a message of the playground like any other, but with an agent that need not be stored. */
export const handler = define.handlers({
  POST: jsonHandler(async (ctx) => {
    const { service, rateLimiter, requestId } = ctx.state;
    const { runtime, chat, closing } = service;
    const { tenant, id: userId } = signedIn(ctx.state);
    const id = uuidParam(ctx.params.id);
    const { form, version, ...body } = parseOrThrow(
      playgroundChatBodySchema,
      parseJson(await readJsonText(ctx.req, runtime)),
    );
    const agent = await loadPlaygroundAgent(service.agents, {
      ...{ tenant, id },
      body: { ...(form && { form }), ...(version && { version }) },
    });
    const request = {
      ...{ tenant, agent, requestId, body: { ...body, agentId: id } },
      runId: runtime.uuid(),
      // Keeps its conversations apart from those of other pages and of API keys.
      origin: new URL(service.baseUrl).origin,
      source: { kind: "user" as const, id: userId },
    };
    const { open } = await endingReplaced(
      chat,
      (endedRun) =>
        rateLimiter.transact((view) =>
          chat.start(request, {
            reader: view,
            endedRun,
            admit: (run) => rateLimiter.admitRun(view, run),
          })
        ),
    );
    return sseResponse(await open(), { runtime, closing, isAllowed: keepsAccess(ctx) });
  }),
});
