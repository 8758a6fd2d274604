import type { AgentEvent, AgentOutcome, AgentRunOptions } from "@/lib/agent/agent_run_options.ts";
import type { Verdict } from "@/lib/agent/guardrails/classifier.ts";
import type { StopAction } from "@/lib/agent/guardrails/guard_input.ts";
import { GuardrailHits } from "@/lib/agent/guardrails/guardrail_hits.ts";
import { RunGuard } from "@/lib/agent/guardrails/run_guard.ts";
import { runWithGuardrails } from "@/lib/agent/guardrails/run_with_guardrails.ts";
import type { ToolTraits } from "@/lib/agent/tools/callable_tool.ts";
import type { Toolset } from "@/lib/agent/tools/toolset.ts";
import type { Guardrails } from "@/lib/schemas/guardrails.ts";
import { candidate } from "./agent_runs.ts";
import { FakeModel, type Script, text } from "./fake_model.ts";

export const CARD = "4111 1111 1111 1111";
export const MASKED: Guardrails = {
  output: { personalData: { kinds: ["card", "email"], action: "mask" } },
};
export const blocking = (message?: string): Guardrails => ({
  output: { denyWords: { words: ["secret"], action: "block" }, ...message && { message } },
});

export interface Change {
  judge?: (side: string, text: string) => Promise<Verdict>;
  inputStop?: StopAction;
  messages?: AgentRunOptions["messages"];
  handoffMessage?: string;
  /** Those beside `look_up`, `hand_off` by default. */
  tools?: AgentRunOptions["tools"];
  signal?: AbortSignal;
  execute?: Toolset["execute"];
  traits?: ToolTraits;
  holdCall?: AgentRunOptions["holdCall"];
  /** Of answers, with a response schema. */
  validate?: (answer: unknown) => string | undefined;
}

/** Runs scripted steps with guardrails. */
export async function run(settings: Guardrails, scripts: Script[], change: Change = {}) {
  const model = new FakeModel(...scripts);
  const events: AgentEvent[] = [];
  const hits = new GuardrailHits();
  const executed: unknown[][] = [];
  const signal = change.signal ?? new AbortController().signal;
  const guard = new RunGuard({
    ...{ settings, hits, signal, inputStop: change.inputStop },
    handoffMessage: change.handoffMessage,
    judge: change.judge ?? (() => Promise.resolve("allow")),
  });
  const tool = { name: "look_up", description: "", parameters: { type: "object" } };
  const tools: Toolset = {
    listTools: () => Promise.resolve([tool, ...change.tools ?? [{ ...tool, name: "hand_off" }]]),
    traitsOf: (name) => name === "hand_off" ? { storesArguments: true } : change.traits ?? {},
    check: () => Promise.resolve(undefined),
    execute: (name, args, call) => {
      executed.push([name, args]);
      return change.execute?.(name, args, call) ??
        Promise.resolve({ mail: "a@example.com", n: 1 });
    },
    validatorOf: () => Promise.resolve(change.validate ?? (() => undefined)),
    egressCalls: [],
    notes: [],
    close: () => Promise.resolve(),
  };
  let outcome: AgentOutcome | undefined;
  let failed: unknown;
  try {
    outcome = await runWithGuardrails(guard, {
      tools,
      candidates: [candidate(model)],
      system: "Be helpful.",
      messages: change.messages ?? [{ role: "user", content: "hi" }],
      authorizeStep: () => Promise.resolve({ outputTokens: () => 100 }),
      maxSteps: 4,
      ...change.validate && { responseSchema: { type: "object" } },
      signal,
      runId: "run",
      ...change.holdCall && { holdCall: change.holdCall },
      onEvent: (event) => events.push(event),
    });
  } catch (error) {
    failed = error;
  }
  const shown = events.map((event) => event.type === "text" ? event.text : "").join("");
  return { model, events, hits: hits.all, executed, outcome, failed, shown };
}

export const words = (content: string) => content.split("").map(text);
