import { ApiError, parseOrThrow } from "@/lib/schemas/api_error.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { withIdempotency } from "@/lib/http/with_idempotency.ts";
import { uuidParam } from "@/lib/http/request_params.ts";
import { type MintedSession, playgroundBodySchema } from "@/lib/schemas/session.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant, id: apiKeyId } = await requireScope(ctx.req, ctx.state, {
      scope: "agents:write",
      agentId: ctx.params.id,
    });
    const body = text.trim() === "" ? {} : parseJson(text);
    const id = ctx.params.id?.toLowerCase();
    const origin = ctx.req.headers.get("origin") ?? undefined;
    return await withIdempotency<MintedSession>(ctx, {
      route: `POST /v1/agents/${id}/playground-session`,
      apiKeyId,
      request: { body, origin },
      async create(options) {
        parseOrThrow(playgroundBodySchema, body);
        const agent = await service.agents.get(tenant, uuidParam(id));
        checkOwnOrigin(origin, service.baseUrl);
        return await service.sessions.mintForPlayground(tenant, agent, origin, options);
      },
      respond: (minted) => ({ body: minted, headers: { location: "/v1/widget/session" } }),
    });
  },
}));

function checkOwnOrigin(origin: string | undefined, baseUrl: string): void {
  if (origin === undefined || origin === new URL(baseUrl).origin) return;
  throw new ApiError("origin_not_allowed", "a playground session is for the service's own pages");
}
