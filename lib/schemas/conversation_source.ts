/** Where conversations take place: on a site, by an API key, in the playground, on an agent's shared page. */
export const CONVERSATION_SOURCES = ["widget", "api", "playground", "share"] as const;
export type ConversationSource = typeof CONVERSATION_SOURCES[number];
