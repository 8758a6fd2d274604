import { ApiError, parseOrThrow } from "@/lib/errors.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/authenticate.ts";
import { parseJson, readJsonText } from "@/lib/http/read_json.ts";
import { uuidParam } from "@/lib/http/uuid_param.ts";
import { playgroundBodySchema } from "@/lib/wire/session.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.system);
    const { tenant } = await requireScope(ctx.req, ctx.state, "agents:write");
    if (text.trim() !== "") parseOrThrow(playgroundBodySchema, parseJson(text));
    const agent = await service.agents.get(tenant, uuidParam(ctx.params.id));
    const origin = ctx.req.headers.get("origin") ?? undefined;
    if (origin !== undefined && origin !== new URL(service.baseUrl).origin) {
      const message = "a playground session is for the service's own pages";
      throw new ApiError("origin_not_allowed", message);
    }
    const minted = await service.sessions.mintForPlayground(tenant, agent, origin);
    return Response.json(minted, { status: 201, headers: { location: "/v1/widget/session" } });
  },
}));
