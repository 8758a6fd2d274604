import {
  type ContextWindow,
  maxPromptBytes,
  messageBytes,
  promptBytes,
} from "../agent/context_window.ts";
import { fitMessages } from "../agent/fit_step.ts";
import type { ChatBody, ChatMessage } from "../schemas/chat.ts";
import type { ModelAccess } from "../billing/model_access.ts";
import type { KvReader } from "../store/tx/read_transaction.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import type { Agent } from "../schemas/agent.ts";
import { toMicroUsd } from "../billing/money.ts";
import { contextWindow, resolveCandidates, type ResolvedPolicy } from "./resolve_candidates.ts";
import type { RunRegistry, RunStartHook } from "./run_registry.ts";
import { stepCost } from "./step_cost.ts";

/** What of a conversation fits into the model's context. */
export interface FittedContext {
  messages: readonly ChatMessage[];
  /** How many of the oldest were left out. */
  dropped: number;
}

/**
 * Drops the oldest turns until prompt, tools, messages and a short answer fit into `contextTokens`: the
 * answer is cut before the conversation is. The last message stays whatever its length, and what is
 * left begins with the user, as vendors demand.
 */
export function fitContext(
  messages: readonly ChatMessage[],
  { otherBytes, ...room }: ContextWindow & { otherBytes: number },
): FittedContext {
  const bytes = maxPromptBytes(room) - otherBytes;
  const { dropped } = fitMessages(messages, { bytes, question: messages.length - 1 });
  return { messages: messages.slice(dropped), dropped };
}

/** One message to answer. */
export interface ChatRequest {
  tenant: string;
  agent: Agent;
  body: ChatBody;
  /** The run it becomes, when it is let in. */
  runId: string;
  /** The `x-request-id`, where the body brings none. */
  requestId: string;
  /** The page of a session. */
  origin?: string | undefined;
  /** The credential it comes with: an API key, or a visitor's session. */
  source: RunFacts["source"];
}

/** A message that could be answered: all of it is valid, nobody has been asked yet. */
export interface PreparedRun {
  request: ChatRequest;
  policy: ResolvedPolicy;
  facts: RunFacts;
  /** What begins in the store with it. */
  startHook: RunStartHook;
  /** What of the conversation fits into the model's context. */
  messages: readonly ChatMessage[];
  /** How many of its messages do not. */
  droppedMessages: number;
  /** What it may cost at most; micro-USD, as the next two. */
  maxCost: number;
  /** What its first step can cost at most. */
  hold: number;
  /** What its first step costs at least. */
  minFirstStepCost: number;
}

/** What preparing a run takes. */
export interface PrepareRunDeps {
  models: ModelAccess;
  runtime: Runtime;
  directory: RunRegistry;
}

/** Checks a message and prices its first step; throws an `ApiError` for one that is not valid. */
export async function prepareRun(
  request: ChatRequest,
  { models, runtime, directory, reader }: PrepareRunDeps & { reader?: KvReader | undefined },
): Promise<PreparedRun> {
  const { agent, body, source } = request;
  const visitor = source.kind === "session";
  const policy = await resolveCandidates({ ...request, visitor, models: models, reader });
  const primary = policy.entries[0]!;
  const { systemPrompt, tools } = agent;
  const otherBytes = promptBytes({ system: systemPrompt, tools: tools as never });
  const room = { ...contextWindow(policy), otherBytes };
  const { messages, dropped } = fitContext(body.messages, room);
  const bytes = otherBytes + messageBytes(messages);
  const step = { inputBytes: bytes, inputTokens: bytes, outputTokens: policy.maxOutputTokens };
  const { max } = stepCost(policy.entries, step);
  const { min } = stepCost([primary], step);
  // What the budget cannot pay is told in the run's frames: it takes its place like any other.
  const ceiling = toMicroUsd(agent.budget.maxCostUsd);
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
    startHook: await directory.startHook(facts, { ...request, reader }),
    messages,
    droppedMessages: dropped,
    maxCost: ceiling,
    hold: Math.min(max, ceiling),
    minFirstStepCost: Math.min(min, ceiling),
  };
}
