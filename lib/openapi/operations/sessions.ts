import { EXAMPLES } from "../examples.ts";
import type { Operation, SuccessResponse } from "../operation.ts";

const common = { tag: "Sessions", rateLimited: true } as const;

const mintedResponse: SuccessResponse = {
  status: 201,
  description: "The session; its token is shown this once.",
  headers: ["Location"],
  content: {
    type: "application/json",
    schema: "MintedSession",
    example: EXAMPLES.mintedSession,
  },
};

export const SESSION_OPERATIONS: Operation[] = [
  {
    ...common,
    id: "mintWidgetSession",
    method: "POST",
    path: "/v1/widget/session",
    summary: "Mint a widget session",
    description:
      "Called by your backend for a visitor of your page. Forward the visitor's `Origin` " +
      "unchanged: it must be one of the agent's `allowedOrigins`, and the token works on that " +
      "origin only, for 15 minutes and 50 messages.",
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
    description: "Its token stops working at once and its runs are cancelled.",
    auth: { scope: "widget:mint" },
    body: { schema: "RevokeBody", example: { sessionToken: EXAMPLES.sessionToken } },
    responses: [{ status: 204, description: "It is revoked." }],
    errors: ["not_found"],
  },
  {
    ...common,
    id: "examineEmbed",
    method: "POST",
    path: "/v1/widget/doctor",
    summary: "Find out why a widget does not work",
    description:
      "Says which of origin, tag, mixed content, CSP, integrity, token and clock is wrong, and " +
      "prints the lines to paste. Without a `tag` the page at the origin is read, where it is https " +
      "and among the agent's `allowedOrigins`; nothing of it is in the answer. At most 6 a minute.",
    auth: { scope: "widget:mint" },
    body: {
      schema: "DoctorBody",
      example: { agentId: EXAMPLES.agent.id, origin: "https://shop.example" },
    },
    responses: [{
      status: 200,
      description: "What was found.",
      content: {
        type: "application/json",
        schema: "DoctorReport",
        example: EXAMPLES.doctorReport,
      },
    }],
    errors: ["not_found"],
  },
  {
    ...common,
    id: "mintPlaygroundSession",
    method: "POST",
    path: "/v1/agents/{id}/playground-session",
    summary: "Mint a session for trying an agent out",
    description: "For the service's own pages and for tests; never for a public embed.",
    auth: { scope: "agents:write" },
    parameters: ["agentId", "ownOrigin"],
    idempotent: true,
    body: { schema: "PlaygroundBody", example: {}, optional: true },
    responses: [mintedResponse],
    errors: ["origin_not_allowed", "not_found"],
  },
];
