import { apiHandler } from "@/lib/http/api_handler.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { ifMatchVersions } from "@/lib/http/entity_tag.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { publicationResponse } from "@/lib/http/publication_response.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { publications } = ctx.state.service;
    const { tenant } = await requireScope(ctx.req, ctx.state, {
      scope: "agents:read",
      agentId: ctx.params.id,
    });
    return publicationResponse(await publications.get({ tenant, id: uuidParam(ctx.params.id) }));
  },

  async PUT(ctx) {
    const { publications, runtime } = ctx.state.service;
    const text = await readJsonText(ctx.req, runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, {
      scope: "agents:write",
      agentId: ctx.params.id,
    });
    const asked = parseJson(text);
    const name = { tenant, id: uuidParam(ctx.params.id) };
    const ifMatch = ifMatchVersions(ctx.req);
    return publicationResponse(await publications.set(name, { asked, ifMatch }));
  },
}));
