import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireModelAccess, toModel } from "@/lib/http/openai/list_models.ts";
import { modelNotFound, requireAgentId } from "@/lib/http/openai/start_openai_chat.ts";
import { undefinedIfNotFound } from "@/lib/http/request_params.ts";
import { agentOfModel } from "@/lib/schemas/openai_chat.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { agents } = ctx.state.service;
    const tenant = await requireModelAccess(ctx);
    const id = requireAgentId(agentOfModel(ctx.params.id ?? ""));
    const agent = await undefinedIfNotFound(() => agents.get(tenant, id));
    if (agent === undefined) throw modelNotFound();
    return Response.json(toModel(agent));
  },
}));
