import type { Agent, AgentBody } from "@/lib/schemas/agent.ts";
import { agentBodySchema } from "@/lib/schemas/agent.ts";
import { fakeUuid } from "./fake_runtime.ts";

/** The smallest valid agent body, changed by `change`; not parsed. */
export function rawAgentBody(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: "Helper",
    systemPrompt: "Be helpful.",
    modelPolicy: { provider: "vendor_a", model: "demo" },
    budget: { maxCostUsd: 1, maxSteps: 4, wallClockMs: 30_000 },
    tools: [],
    allowedDomains: [],
    ...change,
  };
}

/** Like `rawAgentBody`, parsed. */
export function agentBodyOf(change: Record<string, unknown> = {}): AgentBody {
  return agentBodySchema.parse(rawAgentBody(change));
}

/** A stored agent's shape, without a store. */
export function agentOf(change: Record<string, unknown> = {}): Agent {
  const at = "2030-01-01T00:00:00.000Z";
  return { id: fakeUuid(900), ...agentBodyOf(change), createdAt: at, updatedAt: at, version: 1 };
}

/** An HTTP tool on `tools.example.com`, changed by `change` and, inside `request`, by `request`. */
export function httpTool(
  change: Record<string, unknown> = {},
  request: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    type: "http",
    name: "look_up",
    description: "Looks something up.",
    parameters: { type: "object", properties: { q: { type: "string" } } },
    request: { method: "GET", url: "https://tools.example.com/find?q={{q}}", ...request },
    ...change,
  };
}
