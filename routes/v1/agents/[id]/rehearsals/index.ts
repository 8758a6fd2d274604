import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { pageRequestParams, uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, {
      scope: "conversations:read",
      agentId: ctx.params.id,
    });
    const agentId = uuidParam(ctx.params.id);
    const page = pageRequestParams(ctx.url);
    return Response.json(await service.rehearsals.list({ tenant, agentId }, page));
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant, id } = await requireScope(ctx.req, ctx.state, {
      scope: "agents:write",
      agentId: ctx.params.id,
    });
    const agentId = uuidParam(ctx.params.id);
    const source = { kind: "key", id } as const;
    const begun = await service.rehearsals.start({ tenant, agentId, source }, parseJson(text));
    const location = `/v1/agents/${agentId}/rehearsals/${begun.id}`;
    return Response.json(begun, { status: 202, headers: { location } });
  },
}));
