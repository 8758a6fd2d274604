import {
  type ContextWindow,
  maxPromptBytes,
  messageBytes,
  promptBytes,
} from "../agent/context_window.ts";
import { fitMessages } from "../agent/fit_step.ts";
import type { ModelAccess } from "../billing/model_access.ts";
import { toMicroUsd } from "../billing/micro_usd.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { Agent } from "../schemas/agent.ts";
import type { ChatBody, ChatMessage } from "../schemas/chat.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import type { KvReader } from "../store/tx/read_transaction.ts";
import { contextWindow, resolveCandidates, type ResolvedPolicy } from "./resolve_candidates.ts";
import type { RunRegistry, RunStartHook } from "./run_registry.ts";
import { stepCost } from "./step_cost.ts";

/** A message to answer. */
export interface ChatRequest {
  tenant: string;
  agent: Agent;
  body: ChatBody;
  /** The id of its run, once admitted. */
  runId: string;
  /** The `x-request-id`, used unless the body has one. */
  requestId: string;
  /** The page of a session. */
  origin?: string | undefined;
  /** The credential it was sent with. */
  source: RunFacts["source"];
}

/** A valid message, ready for admission. Costs in micro-USD. */
export interface PreparedRun {
  request: ChatRequest;
  policy: ResolvedPolicy;
  facts: RunFacts;
  startHook: RunStartHook;
  /** The messages that fit into the model's context. */
  messages: readonly ChatMessage[];
  droppedMessages: number;
  /** The agent's budget for one answer. */
  maxCost: number;
  /** The most that the first step can cost. */
  hold: number;
  minFirstStepCost: number;
}

export interface PrepareRunDeps {
  access: ModelAccess;
  runtime: Runtime;
  runs: RunRegistry;
  reader: KvReader | undefined;
}

/** Validates a message and prices its first step. Throws an `ApiError` if it is invalid. */
export async function prepareRun(
  request: ChatRequest,
  { access, runtime, runs, reader }: PrepareRunDeps,
): Promise<PreparedRun> {
  const { agent, body, source } = request;
  const visitor = source.kind === "session";
  const policy = await resolveCandidates({ ...request, visitor, access, reader });
  const primary = policy.entries[0]!;
  const { systemPrompt, tools } = agent;
  const otherBytes = promptBytes({ system: systemPrompt, tools: tools as never });
  const { messages, dropped } = fitContext(body.messages, { ...contextWindow(policy), otherBytes });
  const bytes = otherBytes + messageBytes(messages);
  const step = { inputBytes: bytes, inputTokens: bytes, outputTokens: policy.maxOutputTokens };
  // A budget below the first step's cost does not reject the message: its run reports that.
  const maxCost = toMicroUsd(agent.budget.maxCostUsd);
  const facts: RunFacts = {
    runId: request.runId,
    tenant: request.tenant,
    agentId: agent.id,
    agentVersion: agent.version,
    conversationId: body.conversationId ?? runtime.uuid(),
    source,
    provider: primary.vendor,
    model: primary.model,
    startedAt: runtime.now(),
  };
  return {
    request,
    policy,
    facts,
    startHook: await runs.startHook(facts, { ...request, reader }),
    messages,
    droppedMessages: dropped,
    maxCost,
    hold: Math.min(stepCost(policy.entries, step).max, maxCost),
    minFirstStepCost: Math.min(stepCost([primary], step).min, maxCost),
  };
}

/**
 * Drops the oldest turns until prompt, tools, messages and a short answer fit into `contextTokens`. The
 * answer is shortened before turns are dropped. The last message always stays, and the rest begins with
 * a user message, as providers require.
 */
export function fitContext(
  messages: readonly ChatMessage[],
  { otherBytes, ...window }: ContextWindow & { otherBytes: number },
): { messages: readonly ChatMessage[]; dropped: number } {
  const bytes = maxPromptBytes(window) - otherBytes;
  const { dropped } = fitMessages(messages, { bytes, question: messages.length - 1 });
  return { messages: messages.slice(dropped), dropped };
}
