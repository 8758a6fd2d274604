import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { isUuid } from "../../http/request_params.ts";
import { McpConnectError, type McpConnectProblem } from "../../services/mcp/mcp_connect_error.ts";
import type { McpConfirmation } from "../../services/mcp/mcp_authorizations.ts";
import type { McpConnectUser } from "../../services/mcp/pending_connections.ts";
import {
  type McpAuthorizationHead,
  normalizeMcpUrl,
} from "../../store/credentials/mcp_authorization_store.ts";
import type { McpServerReport } from "../../agent/tools/mcp/describe_mcp_server.ts";
import { signedIn } from "../authorization.ts";
import { readSignInCookie } from "../sign_in/sign_in_cookie.ts";
import { needsReauthentication } from "../sign_in/reauthenticate.ts";
import { isConnectProblem } from "./mcp_problem_texts.ts";

/** A tool of an agent whose server the page is about. */
export interface McpAgentTool {
  agentId: string;
  agentName: string;
  toolName: string;
}

export interface McpServerPageData {
  url: string;
  tool: McpAgentTool | undefined;
  /** Absent if the tenant is not connected. */
  connection: McpAuthorizationHead | undefined;
  redirectUri: string;
  values: McpFormValues;
  problem?: McpConnectProblem | undefined;
  /** What the user has to confirm. */
  confirmation?: McpConfirmation;
  /** What the server offers, if it was asked. */
  report?: McpServerReport;
  issues?: McpFormIssues;
  asksPassword: boolean;
  now: number;
}

/** As typed; a secret is never sent back. */
export interface McpFormValues {
  grantType: string;
  clientId: string;
  scope: string;
}

/** Validation messages by field. */
export type McpFormIssues = Partial<
  Record<"grantType" | "clientId" | "clientSecret" | "scope" | "own_password", string>
>;

export const NO_VALUES: McpFormValues = { grantType: "", clientId: "", scope: "" };

/** The page of the server in `?url=`; `undefined` if that is no address. */
export async function loadMcpServerPage(
  ctx: Context<State>,
  shown: Partial<McpServerPageData> = {},
): Promise<McpServerPageData | undefined> {
  const url = normalizeMcpUrl(ctx.url.searchParams.get("url") ?? "");
  if (url === undefined || url.length > 2_048) return undefined;
  const { mcpAuthorizations, runtime } = ctx.state.service;
  const { tenant } = signedIn(ctx.state);
  const problem = ctx.url.searchParams.get("problem") ?? "";
  const [connection, redirectUri, tool] = await Promise.all([
    mcpAuthorizations.find(tenant, url),
    mcpAuthorizations.redirectUri(url),
    findTool(ctx, url),
  ]);
  return {
    ...{ url, tool, connection, redirectUri },
    values: NO_VALUES,
    problem: isConnectProblem(problem) ? problem : undefined,
    asksPassword: needsReauthentication(ctx.state),
    now: runtime.now(),
    ...shown,
  };
}

/** The user, with the cookie to which a connection in progress is bound. */
export function connectingUser({ req, state }: Context<State>): McpConnectUser {
  const { tenant, email } = signedIn(state);
  const signInCookie = readSignInCookie(req.headers, state.service.config) ?? "";
  return { tenant, email, signInCookie };
}

/** The result, or the problem that the user can do something about. */
export async function orProblem<T>(
  work: Promise<T>,
): Promise<{ done: T } | { problem: McpConnectProblem }> {
  try {
    return { done: await work };
  } catch (error) {
    if (error instanceof McpConnectError) return { problem: error.problem };
    throw error;
  }
}

async function findTool(
  { state, url: { searchParams } }: Context<State>,
  url: string,
): Promise<McpAgentTool | undefined> {
  const id = searchParams.get("agent") ?? "";
  if (!isUuid(id)) return undefined;
  const agent = await state.service.agents.find(signedIn(state).tenant, id.toLowerCase());
  const tool = agent?.tools.find((one) => one.type === "mcp" && normalizeMcpUrl(one.url) === url);
  if (agent === undefined || tool === undefined) return undefined;
  return { agentId: agent.id, agentName: agent.name, toolName: tool.name };
}
