import { isJsonObject } from "@/lib/platform/json.ts";
import { parseOrThrow } from "@/lib/schemas/api_error.ts";
import {
  checkAgentOfBody,
  CHECKED_BY_ROUTE,
  rejectRestrictedKey,
} from "@/lib/http/agent_access.ts";
import { apiHandler } from "@/lib/http/api_handler.ts";
import { requireScope } from "@/lib/http/identify_key.ts";
import { withIdempotency } from "@/lib/http/with_idempotency.ts";
import { recordRejectedOrigin } from "@/lib/http/record_rejected_origin.ts";
import { parseJson, readJsonText } from "@/lib/http/bodies/read_json.ts";
import { requireNativeMint } from "@/lib/http/require_native_mint.ts";
import {
  mintBodySchema,
  type MintedSession,
  NATIVE_APP,
  revokeBodySchema,
} from "@/lib/schemas/session.ts";
import { define } from "@/utils.ts";

const MINT = { scope: "widget:mint", agentId: CHECKED_BY_ROUTE } as const;
const LIMITS_OF_ALL =
  "a visitor's limits hold for all agents: set them with a key that is not restricted to agents";

export const handler = define.handlers(apiHandler({
  async POST(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const identity = await requireScope(ctx.req, ctx.state, MINT);
    const { tenant, id: apiKeyId } = identity;
    const origin = ctx.req.headers.get("origin");
    if (origin === null) await requireNativeMint(ctx.state, { tenant, text });
    const body = parseJson(text);
    checkAgentOfBody(identity, body);
    if (identity.agents !== undefined && setsLimits(body)) rejectRestrictedKey(LIMITS_OF_ALL);
    return await withIdempotency<MintedSession>(ctx, {
      route: "POST /v1/widget/session",
      apiKeyId,
      // A token is for one origin: the stored response would be wrong for a request from another.
      request: { body, origin: origin ?? NATIVE_APP },
      async create(options) {
        const { agentId, visitor, bind } = parseOrThrow(mintBodySchema, body);
        const agent = await service.agents.getServed(tenant, agentId);
        if (origin === null) {
          const of = { ...options, visitor, bind: bind! };
          return await service.sessions.mintForNativeApp(tenant, agent, of);
        }
        return await recordRejectedOrigin(ctx, { tenant, agent }, () => {
          return service.sessions.mintForOrigin(tenant, agent, origin, {
            ...options,
            visitor,
            bind,
          });
        });
      },
      // The token is secret and the session's only id, so the revoke path has no parameter.
      respond: (minted) => ({ body: minted, headers: { location: "/v1/widget/session" } }),
    });
  },

  async DELETE(ctx) {
    const { service } = ctx.state;
    const text = await readJsonText(ctx.req, service.runtime);
    const { tenant, agents } = await requireScope(ctx.req, ctx.state, MINT);
    const { sessionToken } = parseOrThrow(revokeBodySchema, parseJson(text));
    await service.sessions.revoke(tenant, sessionToken, { agents });
    return new Response(null, { status: 204 });
  },
}));

function setsLimits(body: unknown): boolean {
  return isJsonObject(body) && isJsonObject(body.visitor) && "limits" in body.visitor;
}
