/**
 * The formats in which clients ask and read answers. `native` is the service's own; a run of an early
 * release has none.
 */
export const CHAT_PROTOCOLS = [
  "native",
  "ai-sdk-ui",
  "openai-chat",
  "openai-responses",
  "ag-ui",
  "mcp",
] as const;
export type ChatProtocol = typeof CHAT_PROTOCOLS[number];

/** Formats that the answer to a message of our own format, and a resumed stream, can have. */
export const STREAM_PROTOCOLS = ["native", "ai-sdk-ui", "ag-ui"] as const;
export type StreamProtocol = typeof STREAM_PROTOCOLS[number];

/** The longest poll (`?wait=`), seconds. Some proxies give up on a silent response after 30. */
export const MAX_WAIT_SECONDS = 25;
