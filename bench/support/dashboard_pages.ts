import { rareWord } from "./seed_dashboard.ts";

/** The ids that a page's path may contain. */
export interface Seeded {
  tenant: string;
  baseId: string;
  agentIds: readonly string[];
  conversationIds: readonly string[];
}

/** A page of the dashboard that the benchmark requests. */
export interface DashboardPage {
  name: string;
  path: (seeded: Seeded) => string;
  /** The median to stay under, milliseconds; 20 by default. */
  goalMs?: number;
}

const middle = <T>(all: readonly T[]): T => all[Math.floor(all.length / 2)]!;

export const DASHBOARD_PAGES: readonly DashboardPage[] = [
  { name: "home", path: () => "/home" },
  { name: "agents", path: () => "/agents" },
  { name: "agents by a word", path: () => "/agents?q=assistant" },
  { name: "a new agent", path: () => "/agents/new?template=shop" },
  { name: "an agent", path: ({ agentIds }) => `/agents/${middle(agentIds)}` },
  { name: "an agent's model", path: ({ agentIds }) => `/agents/${middle(agentIds)}/model` },
  { name: "an agent's tools", path: ({ agentIds }) => `/agents/${middle(agentIds)}/tools` },
  {
    name: "an agent's appearance",
    path: ({ agentIds }) => `/agents/${middle(agentIds)}/appearance`,
  },
  { name: "an agent's embed", path: ({ agentIds }) => `/agents/${middle(agentIds)}/embed` },
  { name: "embed doctor", path: ({ agentIds }) => `/agents/${middle(agentIds)}/embed/doctor` },
  { name: "an agent's versions", path: ({ agentIds }) => `/agents/${agentIds[0]}/versions` },
  { name: "two versions", path: ({ agentIds }) => `/agents/${agentIds[0]}/versions/1?with=100` },
  { name: "knowledge bases", path: () => "/knowledge" },
  { name: "a knowledge base", path: ({ baseId }) => `/knowledge/${baseId}` },
  { name: "a search in it", path: ({ baseId }) => `/knowledge/${baseId}/search?q=sunday` },
  { name: "API keys", path: () => "/api-keys" },
  { name: "a new API key", path: () => "/api-keys/new" },
  { name: "conversations", path: () => "/conversations" },
  {
    name: "conversations of an agent",
    path: ({ agentIds }) => `/conversations?agentId=${agentIds[0]}`,
  },
  { name: "conversations that failed", path: () => "/conversations?finish=error" },
  {
    name: "conversations by a rare word",
    path: ({ conversationIds }) => `/conversations?q=${rareWord(middle(conversationIds))}`,
    goalMs: 100,
  },
  {
    name: "conversations by three words",
    path: ({ conversationIds }) =>
      `/conversations?q=open+sunday+${rareWord(middle(conversationIds))}`,
    goalMs: 100,
  },
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
  { name: "audit log", path: () => "/audit" },
  { name: "audit log of keys", path: () => "/audit?kind=key" },
  { name: "team", path: () => "/team" },
  { name: "an invitation", path: () => "/team/invite" },
  { name: "settings", path: () => "/settings" },
  { name: "a new secret", path: () => "/settings/secrets/new" },
  { name: "account", path: () => "/account" },
  { name: "tenants", path: () => "/operator/tenants" },
  { name: "a tenant", path: ({ tenant }) => `/operator/tenants/${tenant}` },
  { name: "catalogue", path: () => "/operator/models" },
  { name: "a model", path: () => "/operator/models/model" },
  { name: "providers", path: () => "/operator/providers" },
  { name: "a provider", path: () => "/operator/providers/connect" },
  { name: "status", path: () => "/operator/status" },
];
