import type { ChatRequest } from "./chat_request.ts";
import { maxInputTokens, messageBytes, promptBytes } from "../agent/context_window.ts";
import { maskInput } from "../agent/guardrails/guard_input.ts";
import { expandPrompt } from "../agent/visitor_variables.ts";
import type { ModelAccess } from "../billing/model_access.ts";
import { toMicroUsd } from "../billing/micro_usd.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { ModelMessage } from "../providers/model.ts";
import type { ModelRegistry } from "../providers/model_registry.ts";
import { AttachmentStore } from "../store/attachments/attachment_store.ts";
import { conversationName } from "../store/conversations/conversation_record.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import type { MemoryStore, StoredFact } from "../store/visitors/memory_store.ts";
import type { CatalogueEntry } from "../store/providers/catalogue_store.ts";
import type { KvReader } from "../store/tx/read_transaction.ts";
import { type AttachedMessages, attachMessages } from "./input/attach_messages.ts";
import { fitContext } from "./input/fit_context.ts";
import { loadAttachments } from "./input/load_attachments.ts";
import {
  contextWindow,
  resolveCandidates,
  type ResolvedPolicy,
} from "./input/resolve_candidates.ts";
import {
  findClassifiers,
  guardRequest,
  inputCheckCost,
  type PreparedGuardrails,
} from "./guardrails.ts";
import type { ConversationHandoffs } from "./handoff/conversation_handoffs.ts";
import { combineStartHooks } from "./handoff/held_message.ts";
import { withMemory } from "./input/memory_prompt.ts";
import type { ReplacedRuns } from "./replaced_runs.ts";
import type { RunRegistry } from "./run_registry.ts";
import type { RunStartHook } from "./run_start_hook.ts";
import { stepCost } from "./cost/step_cost.ts";
import { withInterruptedCalls } from "./calls/interrupted_calls.ts";

const DAY_MS = 86_400_000;
/** Two short records with long keys. */
const USE_BYTES = 1_024;

/** A valid message, ready for admission. Costs in micro-USD. */
export interface PreparedRun {
  request: ChatRequest;
  policy: ResolvedPolicy;
  facts: RunFacts;
  startHook: RunStartHook;
  /** The agent's prompt with the visitor's values, its memory, and what people wrote. */
  system: string;
  /** Of the agent, with what they did to the message; absent without any. */
  guardrails?: PreparedGuardrails;
  /** The model that orders passages; absent without one, or if the plan does not include it. */
  reranker?: CatalogueEntry;
  /** The message goes to a person, and no model answers. */
  held?: "waiting" | "taken";
  /** The messages that fit into the model's context. */
  messages: readonly ModelMessage[];
  droppedMessages: number;
  /** The agent's budget for one answer. */
  maxCost: number;
  /** The most that the first step can cost. */
  hold: number;
  minFirstStepCost: number;
}

export interface PrepareRunDeps {
  access: ModelAccess;
  attachments: AttachmentStore;
  memories: Pick<MemoryStore, "list">;
  models: Pick<ModelRegistry, "connection">;
  runtime: Runtime;
  runs: RunRegistry;
  replacedRuns: Pick<ReplacedRuns, "find">;
  handoffs: ConversationHandoffs;
  reader: KvReader | undefined;
  /** The id of a run that was ended because the message replaces it. */
  endedRun: string | undefined;
}

/** Validates a message and prices its first step. Throws an `ApiError` if it is invalid. */
export async function prepareRun(
  received: ChatRequest,
  deps: PrepareRunDeps,
): Promise<PreparedRun> {
  const { access, runtime, handoffs, reader, runs } = deps;
  // First, so that nothing else sees what they mask.
  const { request, guardrails: guarded } = guardRequest(received);
  const { agent, body, source } = request;
  const visitor = source.kind === "session";
  const resolved = await resolveCandidates({ ...request, visitor, access, reader });
  const prompt = withMemory(
    expandPrompt(agent.systemPrompt, { variables: agent.variables, visitor: request.visitor }),
    { facts: await factsOf(request, deps.memories), window: contextWindow(resolved) },
  );
  const place = {
    ...request,
    conversationId: body.conversationId,
    visitor: request.visitor?.hash,
  };
  const message = { system: prompt, body, runId: request.runId };
  const handoff = await handoffs.prepare(place, { message, reader });
  const system = withInterruptedCalls(handoff.system, await runs.interruptedCalls(place, reader));
  const { responseSchema } = agent;
  const otherBytes = promptBytes({ system, tools: agent.tools as never, responseSchema });
  const attached = await attachMessages(request, {
    ...{ policy: resolved, otherBytes, models: deps.models },
    load: (one) => loadAttachments(one, deps.attachments),
  });
  const policy = { ...resolved, entries: attached.models };
  const primary = policy.entries[0]!;
  const { messages, dropped } = fitContext(attached.messages, {
    ...contextWindow(policy),
    otherBytes,
  });
  const inputBytes = otherBytes + messageBytes(messages);
  const inputTokens = maxInputTokens(inputBytes, messages);
  const step = { inputBytes, inputTokens, outputTokens: policy.maxOutputTokens };
  // A budget below the first step's cost does not reject the message: its run reports that.
  const maxCost = toMicroUsd(agent.budget.maxCostUsd);
  const admitted: RunFacts = {
    runId: request.runId,
    tenant: request.tenant,
    agentId: agent.id,
    agentVersion: agent.version,
    conversationId: body.conversationId ?? request.newConversationId ?? runtime.uuid(),
    source,
    ...request.visitor && { visitor: request.visitor.hash },
    provider: primary.vendor,
    model: primary.model,
    startedAt: runtime.now(),
    ...agent.retentionDays !== undefined && { retentionDays: agent.retentionDays },
    ...request.canary && { canary: request.canary },
  };
  const startHook = await createStartHook(admitted, { request, attached, ...deps });
  // In a conversation that is not stored there is nothing to replace, and nothing to check.
  const replaces = startHook.conversation && await deps.replacedRuns.find(request, {
    ended: deps.endedRun,
  });
  const facts = replaces === undefined ? admitted : { ...admitted, replaces };
  const reranker = agent.rerank && await access.find(request.tenant, agent.rerank, reader);
  const guardrails = guarded && {
    ...guarded,
    classifiers: await findClassifiers(guarded.settings, { ...request, access, reader }),
  };
  const prepared = {
    ...{ request, policy, facts, system, messages, droppedMessages: dropped, maxCost },
    ...guardrails && { guardrails },
    ...reranker && { reranker },
  };
  if (handoff.held !== undefined) {
    const { held, hook } = handoff;
    const combined = combineStartHooks(startHook, hook);
    // A person reads the message, and there is no answer to end.
    const masked = guardrails && {
      guardrails: { ...guardrails, hits: guardrails.hits.asMasks() },
    };
    return { ...prepared, ...masked, held, startHook: combined, hold: 0, minFirstStepCost: 0 };
  }
  const check = guardrails === undefined ? 0 : inputCheckCost(guardrails, messages);
  return {
    ...prepared,
    startHook,
    hold: Math.min(check + stepCost(policy.entries, step).max, maxCost),
    minFirstStepCost: Math.min(check + stepCost([primary], step).min, maxCost),
  };
}

/** What the agent remembers about the visitor. What cannot be decrypted must not block its answers. */
async function factsOf(
  { tenant, agent, visitor }: ChatRequest,
  memories: PrepareRunDeps["memories"],
): Promise<readonly StoredFact[]> {
  if (!agent.memory?.enabled || visitor === undefined) return [];
  const facts = await memories.list({ tenant, agentId: agent.id, visitor: visitor.hash }) ?? [];
  // Also of facts that are older than the guardrails.
  const input = agent.guardrails?.input;
  return facts.map((fact) => ({ ...fact, text: maskInput(fact.text, input) }));
}

/** What is stored at admission: the messages, and that their conversation uses their attachments. */
async function createStartHook(
  facts: RunFacts,
  { request, attached, runs, reader }: PrepareRunDeps & {
    request: ChatRequest;
    attached: AttachedMessages;
  },
): Promise<RunStartHook> {
  const { origin, visitor, agent, body } = request;
  const { stored, used } = attached;
  const isNew = body.conversationId === undefined;
  const hook = await runs.startHook(facts, { origin, visitor, messages: stored, isNew, reader });
  if (hook.conversation === undefined || used.length === 0) return hook;
  const { conversationId, runId, startedAt: now } = facts;
  const conversation = await conversationName(conversationId, { ...facts, origin });
  // The conversation lives from the run's end.
  const days = hook.conversation.input.days * DAY_MS;
  const exp = now + agent.budget.wallClockMs + days;
  return {
    ...hook,
    estimatedBytes: (hook.estimatedBytes ?? 0) + used.length * USE_BYTES,
    write(tx) {
      hook.write?.(tx);
      for (const id of used) AttachmentStore.use(tx, id, { conversation, runId, exp, now });
    },
  };
}
