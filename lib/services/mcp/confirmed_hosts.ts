import { hostOf } from "./oauth_fetch.ts";
import type { PendingConnection } from "./pending_connections.ts";

/** Every host that receives something for a connection, in the order in which it does. */
export function confirmedHosts(
  { server, grantType, client }: PendingConnection,
  { isDocumented }: {
    /** The authorization server reads the address of this service's metadata, and registers nothing. */
    isDocumented: boolean;
  },
): string[] {
  const isPerson = grantType === "authorization_code";
  const registers = isPerson && client === undefined && !isDocumented;
  const endpoints = [
    registers ? server.registrationEndpoint : undefined,
    isPerson ? server.authorizationEndpoint : undefined,
    server.tokenEndpoint,
    server.revocationEndpoint,
  ];
  return [...new Set(endpoints.flatMap((one) => one === undefined ? [] : [hostOf(one)]))];
}
