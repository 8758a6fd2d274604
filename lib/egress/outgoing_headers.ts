/**
 * Headers that belong to the connection, not to a tool: who sets them could smuggle a second
 * request, name another host, or have the answer compressed.
 */
const CONNECTION_HEADERS = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Whether a tool may set the header `name`. */
export function isToolHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return !CONNECTION_HEADERS.has(lower) && !lower.startsWith("proxy-");
}

/** The headers of a hop: the caller's own in lower case, and the connection's. */
export function outgoingHeaders(
  headers: Readonly<Record<string, string>>,
  body: Uint8Array | undefined,
): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => isToolHeader(name));
  return {
    "user-agent": "agent-chat-service",
    ...Object.fromEntries(own.map(([name, value]) => [name.toLowerCase(), value])),
    "accept-encoding": "identity",
    ...(body === undefined ? {} : { "content-length": `${body.length}` }),
  };
}
