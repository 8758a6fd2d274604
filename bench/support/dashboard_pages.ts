/** What a page's address may name. */
export interface Seeded {
  agentIds: readonly string[];
  conversationIds: readonly string[];
}

/** A page of the dashboard that the benchmark asks for. A new page is a new line here. */
export interface DashboardPage {
  name: string;
  path: (seeded: Seeded) => string;
}

const middle = <T>(all: readonly T[]): T => all[Math.floor(all.length / 2)]!;

export const DASHBOARD_PAGES: readonly DashboardPage[] = [
  { name: "home", path: () => "/home" },
  { name: "agents", path: () => "/agents" },
  { name: "an agent", path: ({ agentIds }) => `/agents/${middle(agentIds)}` },
  { name: "knowledge bases", path: () => "/knowledge" },
  { name: "API keys", path: () => "/api-keys" },
  { name: "conversations", path: () => "/conversations" },
  {
    name: "conversations of an agent",
    path: ({ agentIds }) => `/conversations?agentId=${agentIds[0]}`,
  },
  { name: "conversations that failed", path: () => "/conversations?finish=error" },
  { name: "conversations by cost", path: () => "/conversations?cost=250000" },
  {
    name: "conversations, nothing found",
    path: ({ agentIds }) => `/conversations?agentId=${agentIds.at(-1)}&finish=error&cost=250000`,
  },
  {
    name: "a conversation",
    path: ({ conversationIds }) => `/conversations/${middle(conversationIds)}`,
  },
  { name: "usage by day", path: () => "/usage" },
  { name: "usage by agent", path: () => "/usage?by=agent" },
  { name: "usage by model", path: () => "/usage?by=model" },
  { name: "usage by key", path: () => "/usage?by=key" },
];
