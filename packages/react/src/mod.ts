/** `@agent-chat/react`: a conversation as a hook, and the widget as a component. */
export type * from "./mod.d.ts";
export { useAgentChat } from "./use_agent_chat.ts";
export { ChatWidget } from "./chat_widget.ts";
