/** Set by the connection. A tool could use them to smuggle a request or to name another host. */
const CONNECTION_HEADERS = new Set(
  ("accept-encoding connection content-length expect host keep-alive te trailer " +
    "transfer-encoding upgrade").split(" "),
);

export function isToolHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return !CONNECTION_HEADERS.has(lower) && !lower.startsWith("proxy-");
}

/** The caller's headers, in lower case, and those of the connection. */
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
