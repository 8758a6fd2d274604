import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { AgentChat, NO_CONVERSATION } from "./agent_chat.ts";
import type { AgentChatHelpers, AgentChatOptions } from "./mod.d.ts";

/** Documented in mod.d.ts. */
export function useAgentChat(options: AgentChatOptions): AgentChatHelpers {
  const { apiBase, agentId, id, sessionEndpoint } = options;
  const key = JSON.stringify([apiBase, agentId, id, sessionEndpoint]);
  const [held, setHeld] = useState(() => ({ key, chat: new AgentChat(options) }));
  let current = held;
  if (held.key !== key) setHeld(current = { key, chat: new AgentChat(options) });
  const { chat } = current;
  useEffect(() => chat.configure(options));
  // The first render must equal the server's, so stored messages are loaded here.
  useEffect(() => chat.attach(), [chat]);
  const state = useSyncExternalStore(chat.subscribe, chat.getState, () => NO_CONVERSATION);
  return useMemo(() => ({ ...state, ...chat.methods }), [state, chat]);
}
