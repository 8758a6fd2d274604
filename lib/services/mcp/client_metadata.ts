/** What this service says about itself as a client of authorization servers: RFC 7591. */
export interface ClientMetadata {
  client_name: string;
  redirect_uris: string[];
  grant_types: string[];
  response_types: string[];
  token_endpoint_auth_method: string;
}

export function clientMetadata(
  redirectUri: string,
  { authMethod = "none" }: { authMethod?: string | undefined } = {},
): ClientMetadata {
  return {
    client_name: "Agent Chat Service",
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: authMethod,
  };
}
