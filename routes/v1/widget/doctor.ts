import { parseOrThrow } from "@/lib/schemas/api_error.ts";
import { checkAgent, CHECKED_BY_ROUTE } from "@/lib/http/agent_access.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { doctorBodySchema } from "@/lib/schemas/doctor.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const wanted = { scope: "widget:mint", agentId: CHECKED_BY_ROUTE } as const;
    const identity = await requireScope(ctx.req, ctx.state, wanted);
    const { agentId, ...asked } = parseOrThrow(doctorBodySchema, parseJson(text));
    checkAgent(identity, agentId);
    const { tenant } = identity;
    const agent = await service.agents.getServed(tenant, agentId);
    return Response.json(await service.doctor.diagnose(tenant, agent, asked));
  },
}));
