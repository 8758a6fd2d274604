import { apiHandler } from "@/lib/http/api_handler.ts";
import { discardBody, parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { entityTag, ifMatchVersions } from "@/lib/http/entity_tag.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:read");
    const set = await service.testSets.get({ tenant, id: uuidParam(ctx.params.id) });
    const headers = { etag: entityTag(set.version) };
    // Its cases change without a version.
    return Response.json(set, { headers });
  },

  async PATCH(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:write");
    const name = { tenant, id: uuidParam(ctx.params.id) };
    const options = { patch: parseJson(text), ifMatch: ifMatchVersions(ctx.req) };
    const set = await service.testSets.patch(name, options);
    return Response.json(set, { headers: { etag: entityTag(set.version) } });
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:write");
    const name = { tenant, id: uuidParam(ctx.params.id) };
    await service.testSets.delete(name, { ifMatch: ifMatchVersions(ctx.req) });
    return new Response(null, { status: 204 });
  },
}));
