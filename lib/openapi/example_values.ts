import type { Agent } from "../wire/agent.ts";

const agentBody = {
  name: "Shop helper",
  systemPrompt: "You help customers of a bookshop. Be brief and friendly.",
  modelPolicy: { provider: "vendor_a" as const, model: "demo", maxOutputTokens: 512 },
  budget: { maxCostUsd: 0.05, maxSteps: 4, wallClockMs: 30_000 },
  tools: [{
    type: "http" as const,
    name: "find_order",
    description: "Finds an order by its number.",
    parameters: {
      type: "object",
      properties: { number: { type: "string" } },
      required: ["number"],
    },
    request: { method: "GET" as const, url: "https://api.shop.example/orders/{{number}}" },
  }],
  allowedDomains: ["api.shop.example"],
  allowedOrigins: ["https://shop.example"],
};

const agent: Agent = {
  id: "6f1b2c9e-0d53-4a7e-9b61-2f0c4d8e7a15",
  ...agentBody,
  createdAt: "2026-01-15T09:30:00.000Z",
  updatedAt: "2026-01-15T09:30:00.000Z",
  version: 1,
};

const sessionToken = "cs_EXAMPLE0example0EXAMPLE0example0";

/** Values that the examples of several operations share; none of them is a real credential. */
export const EXAMPLE = {
  agentBody,
  agent,
  sessionToken,
  mintedSession: { sessionToken, expiresAt: "2026-01-15T09:45:00.000Z", messageCap: 50 },
  runId: "b7a4f1d2-3c58-4e96-8a07-51d9e2c6f043",
  conversationId: "d20e6b83-97f4-4c1a-b5d8-0a3e7f6c9214",
};
