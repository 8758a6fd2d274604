import { apiHandler } from "@/lib/http/api_handler.ts";
import { discardBody, parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { requireSession } from "@/lib/http/run_access.ts";
import { parseOrThrow } from "@/lib/schemas/api_error.ts";
import { factBodySchema } from "@/lib/schemas/memory.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async PATCH(ctx) {
    const { service } = ctx.state;
    const body = await readJsonText(ctx.req, service.runtime);
    const session = await requireSession(ctx.req, ctx.state);
    const id = uuidParam(ctx.params.id);
    const { text } = parseOrThrow(factBodySchema, parseJson(body));
    await service.visitorMemories.edit(session, id, text);
    return new Response(null, { status: 204 });
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const session = await requireSession(ctx.req, ctx.state);
    await service.visitorMemories.forget(session, uuidParam(ctx.params.id));
    return new Response(null, { status: 204 });
  },
}));
