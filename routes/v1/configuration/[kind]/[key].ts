import type { Context } from "fresh";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { discardBody, parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { adoptParam, keyParam, kindParam, lockParam } from "@/lib/http/configuration_lock.ts";
import { entityTag, ifMatchVersions, ifNoneMatchVersions } from "@/lib/http/entity_tag.ts";
import { checkScope, requireScope } from "@/lib/http/identify_key.ts";
import { define, type State } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async PUT(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const name = await nameOf(ctx);
    const resource = await service.configuration.put(name, {
      body: parseJson(text),
      lock: lockParam(ctx.req),
      ifMatch: ifMatchVersions(ctx.req),
      ifNoneMatch: ifNoneMatchVersions(ctx.req),
      adopt: adoptParam(ctx.url),
    });
    return Response.json(resource, { headers: { etag: entityTag(resource.version) } });
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const name = await nameOf(ctx);
    await service.configuration.delete(name, {
      lock: lockParam(ctx.req),
      ifMatch: ifMatchVersions(ctx.req),
    });
    return new Response(null, { status: 204 });
  },
}));

/** Knowledge bases also need their own scope. */
async function nameOf(ctx: Context<State>) {
  const caller = await requireScope(ctx.req, ctx.state, "agents:write");
  const kind = kindParam(ctx.params.kind);
  if (kind === "knowledge-bases") checkScope(caller, "knowledge:write");
  return { tenant: caller.tenant, kind, key: keyParam(ctx.params.key) };
}
