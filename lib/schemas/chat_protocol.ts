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

/** Formats whose clients see that a tool call waits, and have a way to answer it. */
const SHOW_WAITING_CALLS: readonly ChatProtocol[] = ["native", "ai-sdk-ui", "ag-ui"];

/** Whether the visitor, or the visitor's page, can answer a call of a run in this format. */
export function canAnswerCalls(protocol: ChatProtocol = "native"): boolean {
  return SHOW_WAITING_CALLS.includes(protocol);
}

/** Formats that the answer to a message of our own format, and a resumed stream, can have. */
export const STREAM_PROTOCOLS = ["native", "ai-sdk-ui", "ag-ui"] as const;
export type StreamProtocol = typeof STREAM_PROTOCOLS[number];

/** The longest poll (`?wait=`), seconds. Some proxies give up on a silent response after 30. */
export const MAX_WAIT_SECONDS = 25;
