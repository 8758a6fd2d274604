import type { McpConnectProblem } from "../../services/mcp/mcp_connect_error.ts";
import type { McpProblem } from "../../store/credentials/mcp_authorization_store.ts";
import { msg } from "../texts/translate.ts";

/** Why a server could not be connected, and what to do. */
export const CONNECT_PROBLEM_TEXTS: Record<McpConnectProblem, string> = {
  unreachable: msg(
    "The server or its authorization server could not be reached. Addresses inside a network need EGRESS_ALLOW.",
  ),
  not_protected: msg(
    "This server does not offer OAuth. Tools that need a key send it in their headers.",
  ),
  invalid_metadata: msg(
    "The server describes its authorization in a way that cannot be used. Ask its provider.",
  ),
  issuer_mismatch: msg(
    "The authorization server is not who it says it is, so the connection was stopped.",
  ),
  resource_mismatch: msg(
    "The server's description belongs to another address, so the connection was stopped.",
  ),
  no_pkce: msg("The authorization server does not support PKCE with S256, which is required."),
  no_registration: msg(
    "The authorization server does not register clients by itself. Register one there with the redirect address below, and enter its client ID.",
  ),
  registration_rejected: msg(
    "The authorization server did not register this service. Register a client there by hand, and enter its client ID.",
  ),
  no_client: msg("Enter a client ID and a client secret to connect as the client itself."),
  too_many: msg("There are too many connected servers. Disconnect one that is not used."),
  restart: msg("This connection has expired or was started in another sign-in. Start it again."),
  denied: msg("The authorization server did not give access. Start again to try another account."),
  code_rejected: msg("The authorization server issued no token. Start again."),
  client_rejected: msg("The authorization server does not accept this client ID or its secret."),
  unusable_token: msg("The authorization server issued a kind of token that cannot be used."),
};

/** Why a connection needs attention. */
export const ATTENTION_TEXTS: Record<McpProblem, string> = {
  expired: msg("Its access has expired and cannot be renewed. Connect it again."),
  revoked: msg("Its access was withdrawn at the authorization server. Connect it again."),
  rejected: msg("The server rejects its token. Connect it again, or ask its provider."),
  client_rejected: msg("The authorization server no longer knows this client. Connect it again."),
};

export function isConnectProblem(text: string): text is McpConnectProblem {
  return Object.hasOwn(CONNECT_PROBLEM_TEXTS, text);
}
