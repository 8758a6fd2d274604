import { apiHandler } from "@/lib/http/api_handler.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { pageRequestParams, uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:read");
    const name = { tenant, set: uuidParam(ctx.params.id) };
    return Response.json(await service.testRunReader.list(name, pageRequestParams(ctx.url)));
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant, id } = await requireScope(ctx.req, ctx.state, "agents:write");
    const set = uuidParam(ctx.params.id);
    const source = { kind: "key", id } as const;
    const begun = await service.testRuns.start({ tenant, set, source }, parseJson(text));
    const location = `/v1/test-sets/${set}/runs/${begun.id}`;
    return Response.json(begun, { status: 202, headers: { location } });
  },
}));
