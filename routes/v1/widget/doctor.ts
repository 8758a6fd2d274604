import { parseOrThrow } from "@/lib/schemas/api_error.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { doctorBodySchema } from "@/lib/schemas/doctor.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "widget:mint");
    const { agentId, ...asked } = parseOrThrow(doctorBodySchema, parseJson(text));
    const agent = await service.agents.getServed(tenant, agentId);
    return Response.json(await service.doctor.diagnose(tenant, agent, asked));
  },
}));
