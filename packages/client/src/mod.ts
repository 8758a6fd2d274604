/** `@agent-chat/client`: the client that the widget is built on, and its session tokens. */
export type {
  Chat,
  ChatMessage,
  ChatOptions,
  FinishReason,
  Frame,
} from "../../../widget/client/client.d.ts";
export { chat, ChatError } from "../../../widget/client/client.ts";
export { type AnswerFeedback, type Feedback, feedback, type FeedbackOptions } from "./feedback.ts";
export type { Rating } from "./feedback.d.ts";
export { sessionTokens, type SessionTokensOptions } from "./session_tokens.ts";
