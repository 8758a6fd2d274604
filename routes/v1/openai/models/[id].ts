import { canReachAgent } from "@/lib/http/agent_access.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireModelAccess, toModel } from "@/lib/http/openai/list_models.ts";
import { modelNotFound, requireAgentId } from "@/lib/http/openai/start_openai_chat.ts";
import { undefinedIfNotFound } from "@/lib/http/request_params.ts";
import { agentOfModel } from "@/lib/schemas/openai_chat.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { agents } = ctx.state.service;
    const identity = await requireModelAccess(ctx);
    const id = requireAgentId(agentOfModel(ctx.params.id ?? ""));
    if (!canReachAgent(identity, id)) throw modelNotFound();
    const agent = await undefinedIfNotFound(() => agents.get(identity.tenant, id));
    if (agent === undefined) throw modelNotFound();
    return Response.json(toModel(agent));
  },
}));
