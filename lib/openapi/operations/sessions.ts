import { EXAMPLES } from "../examples.ts";
import { created, json, noContent, ok, operations } from "../operation.ts";

const mintedResponse = created(
  "The session; its token is shown only once.",
  json("MintedSession", EXAMPLES.mintedSession),
);

export const SESSION_OPERATIONS = operations({ tag: "Sessions", rateLimited: true }, {
  "POST /v1/widget/session": {
    id: "mintWidgetSession",
    summary: "Mint a widget session",
    description:
      "Called by your backend for a visitor of your page. Forward the visitor's `Origin` " +
      "unchanged: it must be one of the agent's `allowedOrigins`. The token works only on that " +
      "origin, for 15 minutes and 50 messages. `visitor` names the person, with values for the " +
      "agent's `variables`: prompts and tools use them, and the visitor's conversations carry the id.\n\n" +
      "With `bind` the token is worthless without a key that stays in the visitor's browser or app: " +
      "each call needs a proof of it in `DPoP`. An app without pages has no `Origin`; its session is " +
      "minted without one if the agent has `nativeApps`, always with `bind`.",
    auth: { scope: "widget:mint" },
    parameters: ["origin"],
    idempotent: true,
    body: { schema: "MintBody", example: EXAMPLES.mintBody },
    responses: [mintedResponse],
    errors: ["origin_not_allowed", "not_found"],
  },
  "DELETE /v1/widget/session": {
    id: "revokeWidgetSession",
    summary: "Revoke a session",
    description: "Its token stops working immediately, and its runs are cancelled.",
    auth: { scope: "widget:mint" },
    body: { schema: "RevokeBody", example: { sessionToken: EXAMPLES.sessionToken } },
    responses: [noContent("The session is revoked.")],
    errors: ["not_found"],
  },
  "POST /v1/widget/doctor": {
    id: "examineEmbed",
    summary: "Find out why a widget does not work",
    description:
      "Checks origin, tag, mixed content, CSP, integrity, token and clock, and returns the lines to " +
      "paste. Without a `tag` the page at the origin is fetched, if it is https and one of the " +
      "agent's `allowedOrigins`; the response contains nothing of the page. At most 6 per minute.",
    auth: { scope: "widget:mint" },
    body: {
      schema: "DoctorBody",
      example: { agentId: EXAMPLES.agent.id, origin: "https://shop.example" },
    },
    responses: [ok("The findings.", json("DoctorReport", EXAMPLES.doctorReport))],
    errors: ["not_found"],
  },
  "POST /v1/agents/{id}/playground-session": {
    id: "mintPlaygroundSession",
    summary: "Mint a playground session",
    description: "For the service's own pages and for tests; never for a public embed.",
    auth: { scope: "agents:write" },
    parameters: ["agentId", "ownOrigin"],
    idempotent: true,
    body: { schema: "PlaygroundBody", example: {}, optional: true },
    responses: [mintedResponse],
    errors: ["origin_not_allowed", "not_found"],
  },
});
