import { parseOrThrow } from "@/lib/schemas/api_error.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { searchBodySchema } from "@/lib/schemas/knowledge.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "knowledge:read");
    const asked = parseOrThrow(searchBodySchema, parseJson(text));
    const of = { tenant, base: uuidParam(ctx.params.id) };
    return Response.json({ passages: await service.knowledge.search(of, asked) });
  },
}));
