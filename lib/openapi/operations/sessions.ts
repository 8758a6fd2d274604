import { EXAMPLES } from "../examples.ts";
import { created, json, noContent, ok, type Operation } from "../operation.ts";

const common = { tag: "Sessions", rateLimited: true } as const;

const mintedResponse = created(
  "The session; its token is shown only once.",
  json("MintedSession", EXAMPLES.mintedSession),
);

export const SESSION_OPERATIONS: Operation[] = [
  {
    ...common,
    id: "mintWidgetSession",
    method: "POST",
    path: "/v1/widget/session",
    summary: "Mint a widget session",
    description:
      "Called by your backend for a visitor of your page. Forward the visitor's `Origin` " +
      "unchanged: it must be one of the agent's `allowedOrigins`. The token works only on that " +
      "origin, for 15 minutes and 50 messages.",
    auth: { scope: "widget:mint" },
    parameters: ["origin"],
    idempotent: true,
    body: { schema: "MintBody", example: { agentId: EXAMPLES.agent.id } },
    responses: [mintedResponse],
    errors: ["origin_not_allowed", "not_found"],
  },
  {
    ...common,
    id: "revokeWidgetSession",
    method: "DELETE",
    path: "/v1/widget/session",
    summary: "Revoke a session",
    description: "Its token stops working immediately, and its runs are cancelled.",
    auth: { scope: "widget:mint" },
    body: { schema: "RevokeBody", example: { sessionToken: EXAMPLES.sessionToken } },
    responses: [noContent("The session is revoked.")],
    errors: ["not_found"],
  },
  {
    ...common,
    id: "examineEmbed",
    method: "POST",
    path: "/v1/widget/doctor",
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
  {
    ...common,
    id: "mintPlaygroundSession",
    method: "POST",
    path: "/v1/agents/{id}/playground-session",
    summary: "Mint a playground session",
    description: "For the service's own pages and for tests; never for a public embed.",
    auth: { scope: "agents:write" },
    parameters: ["agentId", "ownOrigin"],
    idempotent: true,
    body: { schema: "PlaygroundBody", example: {}, optional: true },
    responses: [mintedResponse],
    errors: ["origin_not_allowed", "not_found"],
  },
];
