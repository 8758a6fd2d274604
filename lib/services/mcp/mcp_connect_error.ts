/** Why a tenant cannot be connected to an MCP server; the dashboard has a text for each. */
export const MCP_CONNECT_PROBLEMS = [
  "unreachable",
  "not_protected",
  "invalid_metadata",
  "issuer_mismatch",
  "resource_mismatch",
  "no_pkce",
  "no_registration",
  "registration_rejected",
  "no_client",
  "too_many",
  "restart",
  "denied",
  "code_rejected",
  "client_rejected",
  "unusable_token",
] as const;
export type McpConnectProblem = typeof MCP_CONNECT_PROBLEMS[number];

/** A connection that failed for a reason outside of this service. Never holds what a server wrote. */
export class McpConnectError extends Error {
  override name = "McpConnectError";
  readonly problem: McpConnectProblem;

  constructor(problem: McpConnectProblem, options?: ErrorOptions) {
    super(problem, options);
    this.problem = problem;
  }
}
