import { apiHandler } from "@/lib/http/api_handler.ts";
import { discardBody, parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { lockParam } from "@/lib/http/configuration_lock.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { validationError } from "@/lib/schemas/api_error.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:read");
    return Response.json(await service.configuration.findLock(tenant));
  },

  async PUT(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:write");
    return Response.json(await service.configuration.lock(tenant, parseJson(text)));
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:write");
    const id = lockParam(ctx.req);
    if (id === undefined) {
      const message = "must name the lock to release";
      throw validationError([{ path: "Configuration-Lock", code: "required", message }]);
    }
    await service.configuration.unlock(tenant, id);
    return new Response(null, { status: 204 });
  },
}));
