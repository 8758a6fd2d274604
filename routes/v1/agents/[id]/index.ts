import { checkPatch } from "@/lib/http/agent_access.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import {
  entityTag,
  ifMatchVersions,
  ifNoneMatchVersions,
  isNotModified,
} from "@/lib/http/entity_tag.ts";
import { discardBody, parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import type { Precondition } from "@/lib/store/agents/agent_store.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, {
      scope: "agents:read",
      agentId: ctx.params.id,
    });
    const agent = await service.agents.get(tenant, uuidParam(ctx.params.id));
    const headers = { etag: entityTag(agent.version) };
    if (isNotModified(ctx.req, agent.version)) return new Response(null, { status: 304, headers });
    return Response.json(agent, { headers });
  },

  async PATCH(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const identity = await requireScope(ctx.req, ctx.state, {
      scope: "agents:write",
      agentId: ctx.params.id,
    });
    const patch = parseJson(text);
    checkPatch(identity, patch);
    const id = uuidParam(ctx.params.id);
    const { tenant } = identity;
    const agent = await service.agents.patch(tenant, id, { patch, ...preconditions(ctx.req) });
    return Response.json(agent, { headers: { etag: entityTag(agent.version) } });
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, {
      scope: "agents:write",
      agentId: ctx.params.id,
    });
    await service.agents.delete(tenant, uuidParam(ctx.params.id), preconditions(ctx.req));
    return new Response(null, { status: 204 });
  },
}));

function preconditions(req: Request): Precondition {
  return { ifMatch: ifMatchVersions(req), ifNoneMatch: ifNoneMatchVersions(req) };
}
