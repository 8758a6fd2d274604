import { apiHandler } from "@/lib/http/api_handler.ts";
import { discardBody, parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { pageRequestParams, uuidParam } from "@/lib/http/request_params.ts";
import { requireSession } from "@/lib/http/run_access.ts";
import { parseOrThrow } from "@/lib/schemas/api_error.ts";
import { renameBodySchema } from "@/lib/schemas/own_conversation.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service } = ctx.state;
    const session = await requireSession(ctx.req, ctx.state);
    const id = uuidParam(ctx.params.id);
    const page = pageRequestParams(ctx.url);
    return Response.json(await service.ownConversations.get(session, id, page));
  },

  async PATCH(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const session = await requireSession(ctx.req, ctx.state);
    const id = uuidParam(ctx.params.id);
    const { title } = parseOrThrow(renameBodySchema, parseJson(text));
    return Response.json(await service.ownConversations.rename(session, id, title));
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    await discardBody(ctx.req, service.runtime);
    const session = await requireSession(ctx.req, ctx.state);
    await service.ownConversations.delete(session, uuidParam(ctx.params.id));
    return new Response(null, { status: 204 });
  },
}));
