import { apiHandler } from "@/lib/http/api_handler.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { entityTag, ifMatchVersions } from "@/lib/http/entity_tag.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import type { CountedPublication } from "@/lib/store/agents/publication_store.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { publications } = ctx.state.service;
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:read");
    return respond(await publications.get(tenant, uuidParam(ctx.params.id)));
  },

  async PUT(ctx) {
    const { publications, runtime } = ctx.state.service;
    const text = await readJsonText(ctx.req, runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:write");
    const asked = parseJson(text);
    const id = uuidParam(ctx.params.id);
    return respond(
      await publications.set(tenant, id, { asked, ifMatch: ifMatchVersions(ctx.req) }),
    );
  },
}));

function respond({ publication, revision }: CountedPublication): Response {
  return Response.json(publication, { headers: { etag: entityTag(revision) } });
}
