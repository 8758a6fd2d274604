import { apiHandler } from "@/lib/http/api_handler.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { findAccessibleConversation } from "@/lib/http/conversation_access.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { parseOrThrow } from "@/lib/schemas/api_error.ts";
import { contactBodySchema } from "@/lib/schemas/handoff.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { handoffs, runtime } = ctx.state.service;
    const text = await readJsonText(ctx.req, runtime);
    const id = uuidParam(ctx.params.id);
    const parse = () => parseOrThrow(contactBodySchema, parseJson(text));
    const access = await findAccessibleConversation(ctx.req, ctx.state, {
      ...{ id, counted: true, checkBody: parse },
    });
    await handoffs.leaveContact(access.place, parse());
    return new Response(null, { status: 204 });
  },
}));
