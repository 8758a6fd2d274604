import { CHECKED_BY_ROUTE } from "@/lib/http/agent_access.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { withIdempotency } from "@/lib/http/with_idempotency.ts";
import { entityTag } from "@/lib/http/entity_tag.ts";
import { pageRequestParams } from "@/lib/http/request_params.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const wanted = { scope: "agents:read", agentId: CHECKED_BY_ROUTE } as const;
    const { tenant, agents: ids } = await requireScope(ctx.req, ctx.state, wanted);
    return Response.json(await service.agents.list(tenant, { ...pageRequestParams(ctx.url), ids }));
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant, id: apiKeyId } = await requireScope(ctx.req, ctx.state, "agents:write");
    const body = parseJson(text);
    return await withIdempotency<Agent>(ctx, {
      route: "POST /v1/agents",
      apiKeyId,
      request: body,
      create: (options) => service.agents.create(tenant, body, options),
      respond: (agent) => ({
        body: agent,
        headers: { location: `/v1/agents/${agent.id}`, etag: entityTag(agent.version) },
      }),
    });
  },
}));
