import type { ChatProtocol } from "../schemas/chat_protocol.ts";
import { msg } from "./texts/translate.ts";

/** The names of formats; those of others are names of products. */
export const PROTOCOL_LABELS: Readonly<Record<ChatProtocol, string>> = {
  native: msg("Widget and own API"),
  "ai-sdk-ui": "AI SDK",
  "openai-chat": "OpenAI Chat Completions",
  "openai-responses": "OpenAI Responses",
  "ag-ui": "AG-UI",
  mcp: "MCP",
};
