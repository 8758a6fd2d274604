import type { AgentEvent, AgentOutcome, AgentRunOptions } from "@/lib/agent/agent_run_options.ts";
import { runAgent } from "@/lib/agent/run_agent.ts";
import { type Model, ModelError } from "@/lib/providers/model.ts";

export const TOOL = { name: "look_up", description: "Looks up.", parameters: { type: "object" } };
/** The error of an unreachable provider. */
export const down = new ModelError("provider_error", "the provider is down");

export const candidate = (client: Model, model = "m") => ({
  provider: "vendor_a" as const,
  model,
  client,
});

/** Runs the loop to its end on `models`: the agent's model, then its fallbacks. */
export async function runLoop(models: Model[], change: Partial<AgentRunOptions> = {}) {
  const events: AgentEvent[] = [];
  const executed: unknown[][] = [];
  const loop = (onEvent: AgentRunOptions["onEvent"]) =>
    runAgent({
      candidates: models.map((client, n) => candidate(client, `m${n}`)),
      system: "Be helpful.",
      messages: [{ role: "user", content: "hi" }],
      tools: [TOOL],
      executeTool: (name, args) => {
        executed.push([name, args]);
        return Promise.resolve({ found: 1 });
      },
      authorizeStep: () => Promise.resolve({ outputTokens: () => 100 }),
      maxSteps: 3,
      signal: new AbortController().signal,
      onEvent,
      ...change,
    });
  let failed: unknown;
  let outcome: AgentOutcome | undefined;
  try {
    outcome = await loop((event) => events.push(event));
  } catch (error) {
    failed = error;
  }
  return { events, outcome, executed, failed };
}
