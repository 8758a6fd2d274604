import { apiHandler } from "@/lib/http/api_handler.ts";
import { listModels, requireModelAccess } from "@/lib/http/openai/list_models.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const identity = await requireModelAccess(ctx);
    return Response.json({ object: "list", data: await listModels(ctx.state.service, identity) });
  },
}));
