import { ApiError, parseOrThrow } from "@/lib/schemas/api_error.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { withIdempotency } from "@/lib/http/with_idempotency.ts";
import { recordRejectedOrigin } from "@/lib/http/record_rejected_origin.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { mintBodySchema, type MintedSession, revokeBodySchema } from "@/lib/schemas/session.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant, id: apiKeyId } = await requireScope(ctx.req, ctx.state, "widget:mint");
    const origin = ctx.req.headers.get("origin");
    if (origin === null) {
      throw new ApiError("origin_not_allowed", "forward the browser's Origin header with the mint");
    }
    const body = parseJson(text);
    return await withIdempotency<MintedSession>(ctx, {
      route: "POST /v1/widget/session",
      apiKeyId,
      // A token is for one origin: the stored response would be wrong for a request from another.
      request: { body, origin },
      async create(options) {
        const { agentId, visitor } = parseOrThrow(mintBodySchema, body);
        const agent = await service.agents.get(tenant, agentId);
        return await recordRejectedOrigin(ctx, { tenant, agent }, () => {
          return service.sessions.mintForOrigin(tenant, agent, origin, { ...options, visitor });
        });
      },
      // The token is secret and the session's only id, so the revoke path has no parameter.
      respond: (minted) => ({ body: minted, headers: { location: "/v1/widget/session" } }),
    });
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant } = await requireScope(ctx.req, ctx.state, "widget:mint");
    const { sessionToken } = parseOrThrow(revokeBodySchema, parseJson(text));
    await service.sessions.revoke(tenant, sessionToken);
    return new Response(null, { status: 204 });
  },
}));
