/** `@agent-chat/client`: the client that the widget is built on, and its session tokens. */
export type {
  Chat,
  ChatMessage,
  ChatOptions,
  FinishReason,
  Frame,
} from "../../../widget/client/client.d.ts";
export { chat, ChatError } from "../../../widget/client/client.ts";
export { sessionTokens, type SessionTokensOptions } from "./session_tokens.ts";
