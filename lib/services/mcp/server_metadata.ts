import { z } from "zod";

const MAX_SCOPE_LENGTH = 2_000;

/** Visible ASCII and spaces (RFC 6749, section 3.3): people read it before they confirm. */
export const SCOPE = /^[\x20-\x7e]*$/;

/** Names and addresses only: URLs also allow `;` and `,`, which would end a content security policy. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/;

const webUrl = z.string().max(2_048).refine((text) => {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || !HOST.test(url.host)) return false;
  return url.username === "" && url.password === "" && url.hash === "";
});

/** What an MCP server and its authorization server say about themselves, checked. */
export const discoveredServerSchema = z.object({
  issuer: webUrl,
  resource: webUrl,
  scope: z.string().max(MAX_SCOPE_LENGTH).regex(SCOPE).optional(),
  authorizationEndpoint: webUrl,
  tokenEndpoint: webUrl,
  registrationEndpoint: webUrl.optional(),
  revocationEndpoint: webUrl.optional(),
  authMethods: z.array(z.string().max(64)).max(16),
  /** Whether a response names its issuer: RFC 9207. */
  sendsIssuer: z.boolean(),
  /** Whether a client may be the address of its metadata, instead of being registered. */
  readsClientDocuments: z.boolean(),
}).refine(({ issuer, ...endpoints }) => {
  // The user's browser does not pass egress, which permits plain http for hosts of the operator only.
  const all = [endpoints.authorizationEndpoint, endpoints.tokenEndpoint];
  return issuer.startsWith("http:") || all.every((one) => one.startsWith("https:"));
});
export type DiscoveredServer = z.infer<typeof discoveredServerSchema>;
