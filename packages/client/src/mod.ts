/** `@agent-chat/client`: the client that the widget is built on, and its session tokens. */
import type { ChatOptions as PlainOptions } from "../../../widget/client/client.d.ts";
import type { ChatOptions as ToolOptions } from "./tool_calls.d.ts";

export type {
  Chat,
  ChatMessage,
  FinishReason,
  Frame,
  PendingToolCall,
} from "../../../widget/client/client.d.ts";
export type ChatOptions = PlainOptions & ToolOptions;
export { ChatError } from "../../../widget/client/client.ts";
export { chat } from "./chat_with_tools.ts";
export { type AnswerFeedback, type Feedback, feedback, type FeedbackOptions } from "./feedback.ts";
export type { Rating } from "./feedback.d.ts";
export { sessionTokens, type SessionTokensOptions } from "./session_tokens.ts";
export { type ToolCalls, toolCalls } from "./tool_calls.ts";
export type { PageTool, ToolAnswer, ToolCallsOptions } from "./tool_calls.d.ts";
