import { HAND_OFF } from "../../schemas/handoff.ts";
import type { AgentEvent, AgentOutcome, AgentRunOptions } from "../agent_run_options.ts";
import { executeToolCall } from "../execute_tool_call.ts";
import { runWithTools } from "../run_agent.ts";
import type { Toolset } from "../tools/toolset.ts";
import type { RunGuard, Stop } from "./run_guard.ts";

type RunOptions = Omit<AgentRunOptions, "tools" | "traitsOf" | "executeTool">;

/**
 * Runs the loop with an agent's guardrails: judges the input, passes the model's text through the rules,
 * and ends a blocked answer with a message or with a person.
 */
export async function runWithGuardrails(
  guard: RunGuard,
  { tools, ...options }: RunOptions & { tools: Toolset },
): Promise<AgentOutcome> {
  const { signal } = options;
  const messages = guard.withoutBlocked(options.messages);
  await guard.checkInput(messages);
  // An answer under a response schema may pass the guardrails and still be held back.
  let hasShown = false;
  const onEvent = (event: AgentEvent) => {
    hasShown ||= event.type === "text";
    return options.onEvent(guard.guardEvent(event));
  };
  if (guard.stop !== undefined) {
    const [{ provider, model }] = options.candidates as [AgentRunOptions["candidates"][number]];
    onEvent({ type: "step", n: 1, provider, model });
    return await conclude(guard, { stop: guard.stop, tools, onEvent, signal, hasShown });
  }
  const candidates = options.candidates.map((candidate) => ({
    ...candidate,
    client: guard.guardModel(candidate.client),
  }));
  let outcome: AgentOutcome;
  try {
    outcome = await runWithTools(guard.guardTools(tools), {
      ...{ ...options, messages, candidates, onEvent },
    });
  } catch (error) {
    await release(guard, { onEvent, signal });
    throw error;
  }
  await release(guard, { onEvent, signal });
  if (guard.stop === undefined) return outcome;
  return await conclude(guard, { stop: guard.stop, tools, onEvent, signal, hasShown });
}

type Place = Pick<AgentRunOptions, "onEvent" | "signal">;

/** Shows what was held back between two steps of which the second never came. */
async function release(guard: RunGuard, { onEvent, signal }: Place): Promise<void> {
  guard.output.sendTo((text) => onEvent({ type: "text", text }));
  await (signal.aborted ? guard.output.abort() : guard.output.end());
}

async function conclude(
  guard: RunGuard,
  { stop, tools, onEvent, signal, hasShown }: Place & {
    stop: Stop;
    tools: Toolset;
    hasShown: boolean;
  },
): Promise<AgentOutcome> {
  if ("outcome" in stop) return stop.outcome;
  const { side, action } = stop;
  const note = action === "hand_off" ? await handOff(side, { tools, onEvent, signal }) : undefined;
  signal.throwIfAborted();
  const message = note ?? guard.messageOf(side);
  onEvent({ type: "text", text: hasShown ? `\n\n${message}` : message });
  return { finishReason: "content_filter" };
}

/** Asks for a person as the model would; returns the agent's message for the visitor if one will come. */
async function handOff(
  side: string,
  { tools, onEvent, signal }: Place & { tools: Toolset },
): Promise<string | undefined> {
  const reason = side === "input"
    ? "A guardrail stopped the visitor's message."
    : "A guardrail stopped the agent's answer.";
  const call = { id: HAND_OFF, name: HAND_OFF, args: JSON.stringify({ reason }) };
  const listed = await tools.listTools(signal);
  // A conversation that is not stored cannot be handed over.
  if (!listed.some(({ name }) => name === HAND_OFF)) return undefined;
  const executeTool: AgentRunOptions["executeTool"] = (...args) => tools.execute(...args);
  const result = await executeToolCall(call, { tools: listed, executeTool, onEvent, signal });
  const { state, note } = Object(result.role === "tool" && result.output);
  return state === "waiting" || state === "taken" ? String(note) : undefined;
}
