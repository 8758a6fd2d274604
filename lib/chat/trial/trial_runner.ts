import type { AgentOutcome } from "../../agent/agent_run_options.ts";
import { promptBytes } from "../../agent/context_window.ts";
import { runWithGuardrails } from "../../agent/guardrails/run_with_guardrails.ts";
import { limitOutcome } from "../../agent/last_step.ts";
import { runWithTools } from "../../agent/run_agent.ts";
import type { Toolset } from "../../agent/tools/toolset.ts";
import type { ToolsetFactory } from "../../agent/tools/toolset_factory.ts";
import { expandPrompt, type KnownVisitor } from "../../agent/visitor_variables.ts";
import type { ModelAccess } from "../../billing/model_access.ts";
import { toMicroUsd } from "../../billing/micro_usd.ts";
import { monotonicNow, type Runtime, setTimer } from "../../platform/runtime.ts";
import { ModelError } from "../../providers/model.ts";
import type { ModelRegistry } from "../../providers/model_registry.ts";
import type { Agent } from "../../schemas/agent.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { ChatMessage } from "../../schemas/chat.ts";
import type { AgentStore } from "../../store/agents/agent_store.ts";
import type { AttachmentStore } from "../../store/attachments/attachment_store.ts";
import type { RunFacts } from "../../store/runs/run_record.ts";
import type { ChatRequest } from "../chat_request.ts";
import { RunBudget } from "../cost/run_budget.ts";
import { RunUsage } from "../cost/run_usage.ts";
import {
  classifierEntries,
  createRunGuard,
  findClassifiers,
  guardRequest,
  hasPaidOutputChecks,
  type PreparedGuardrails,
} from "../guardrails.ts";
import { attachMessages } from "../input/attach_messages.ts";
import { fitContext } from "../input/fit_context.ts";
import { loadImages } from "../input/load_images.ts";
import { readAttachments } from "../input/read_attachments.ts";
import {
  contextWindow,
  findEntry,
  resolveCandidates,
  type ResolvedPolicy,
} from "../input/resolve_candidates.ts";
import { toCandidate } from "../input/to_candidate.ts";
import { AskedAgents } from "../tools/asked_agents.ts";
import type { ToolCallSource } from "./recorded_tool_calls.ts";
import { TrialAnswer, type TrialOutcome, type TrialResult } from "./trial_answer.ts";
import { toolsWithEffects, withRecordedCalls } from "./trial_toolset.ts";

export interface TrialDeps {
  access: ModelAccess;
  agents: Pick<AgentStore, "getServed">;
  models: Pick<ModelRegistry, "find" | "connection">;
  toolsets: Pick<ToolsetFactory, "create">;
  attachments: Pick<AttachmentStore, "find" | "describe" | "readText" | "readFile">;
  runtime: Runtime;
}

/** One question to one version of an agent. */
export interface TrialRequest {
  tenant: string;
  /** Any version, stored or not. */
  agent: Agent;
  /** Earlier turns and, last, the question. Attachments of the agent are read without a check of who asks. */
  messages: readonly ChatMessage[];
  /** On whose behalf, for its tools and the usage of embeddings. */
  source: RunFacts["source"];
  visitor?: KnownVisitor | undefined;
  /** `live` executes tools; a source answers their calls, and nothing but models is asked. */
  tools: "live" | ToolCallSource;
  /** The most that it may cost, micro-USD: reserved by the caller, who charges what it did cost. */
  maxCost: number;
  signal?: AbortSignal | undefined;
}

/**
 * Lets an agent answer a question without a conversation: the same prompt, guardrails, tools, fallback and
 * limits as in a run, but nothing is stored, remembered or handed over, and no message is counted.
 */
export class TrialRunner {
  readonly #deps: TrialDeps;

  constructor(deps: TrialDeps) {
    this.#deps = deps;
  }

  /** Never throws: what went wrong is in the result. */
  async run(request: TrialRequest): Promise<TrialResult> {
    const { runtime } = this.#deps;
    const answer = new TrialAnswer(request.agent, { now: () => monotonicNow(runtime) });
    try {
      return answer.end(await this.#run(request, answer));
    } catch (error) {
      return answer.end(failureOf(error, request.signal));
    }
  }

  async #run(trial: TrialRequest, answer: TrialAnswer): Promise<AgentOutcome> {
    const { runtime, models, attachments } = this.#deps;
    const prepared = await this.#prepare(trial);
    const { request, policy, guardrails, system, messages } = prepared;
    const { budget: limits } = request.agent;
    const entries = [...policy.entries, ...classifierEntries(guardrails)];
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, ...trial.signal ? [trial.signal] : []]);
    const deadline = runtime.now() + limits.wallClockMs;
    const asked = this.#askedAgents(request);
    const usage = new RunUsage((name) =>
      findEntry(asked.facts.entries, name) ?? findEntry(entries, name) ?? entries[0]!
    );
    answer.usage = usage;
    const maxCost = Math.min(trial.maxCost, toMicroUsd(limits.maxCostUsd));
    const budget = new RunBudget({
      ...{ entries, maxCost, hold: maxCost, deadline },
      hasOutputChecks: hasPaidOutputChecks(guardrails),
      maxOutputTokens: policy.maxOutputTokens,
      spent: () => usage.costMicroUsd,
      raise: () => Promise.resolve(undefined),
      now: () => runtime.now(),
    });
    asked.begin({ budget, usage, stepsBefore: 0, maxSteps: limits.maxSteps });
    const tools = this.#openTools(trial, { request, asked, answer });
    const guard = guardrails && createRunGuard(guardrails, {
      ...{ run: { usage, signal }, budget, models, runtime },
    });
    const cancelTimer = setTimer(runtime, limits.wallClockMs, () => stop.abort(TIMEOUT));
    try {
      using images = await loadImages(messages, { tenant: trial.tenant, attachments, signal });
      const options: Parameters<typeof runWithTools>[1] = {
        ...{ system, messages, deadline, signal, maxSteps: limits.maxSteps },
        onEvent: answer.onEvent,
        candidates: policy.entries.map((entry) => toCandidate(entry, models)),
        authorizeStep: (step) => budget.authorizeStep(step),
        onUsage: ({ provider, model }, used) => usage.addTokens({ ...used, provider, model }),
        contextWindow: contextWindow(policy),
        stepsUsed: () => usage.steps,
        runId: request.runId,
        ...images.contents.size === 0 ? {} : { images: images.contents },
        ...policy.settings,
      };
      return guard === undefined
        ? await runWithTools(tools, options)
        : await runWithGuardrails(guard, { ...options, tools });
    } finally {
      cancelTimer();
      await tools.close();
    }
  }

  /** The prompt of a run with this question. Throws an `ApiError` if the plan lacks the model. */
  async #prepare({ tenant, agent, messages, source, visitor }: TrialRequest): Promise<{
    request: ChatRequest;
    policy: ResolvedPolicy;
    guardrails: PreparedGuardrails | undefined;
    system: string;
    messages: Awaited<ReturnType<typeof attachMessages>>["messages"];
  }> {
    const { access, attachments, models, runtime } = this.#deps;
    const runId = runtime.uuid();
    const { request, guardrails: guarded } = guardRequest({
      ...{ tenant, agent, source, runId, requestId: runId },
      body: { agentId: agent.id, messages: [...messages] },
      ...visitor && { visitor: { hash: "", ...visitor } },
    });
    const resolved = await resolveCandidates({ ...request, visitor: false, access });
    const system = expandPrompt(agent.systemPrompt, { variables: agent.variables, visitor });
    const { responseSchema } = agent;
    const otherBytes = promptBytes({ system, tools: agent.tools as never, responseSchema });
    const attached = await attachMessages(request, {
      ...{ policy: resolved, otherBytes, models },
      load: (one) => readAttachments(one, attachments),
    });
    const policy = { ...resolved, entries: attached.models };
    const fitted = fitContext(attached.messages, { ...contextWindow(policy), otherBytes });
    const guardrails = guarded && {
      ...guarded,
      classifiers: await findClassifiers(guarded.settings, { tenant, access }),
    };
    return { request, policy, guardrails, system, messages: fitted.messages };
  }

  #askedAgents(request: ChatRequest): AskedAgents {
    return new AskedAgents(
      { ...this.#deps, close: (tools) => void tools.close() },
      { asker: request, chain: [request.agent.id] },
    );
  }

  #openTools(
    { tools: wanted }: TrialRequest,
    { request, asked, answer }: { request: ChatRequest; asked: AskedAgents; answer: TrialAnswer },
  ): Toolset {
    const { toolsets } = this.#deps;
    const onCoverage = answer.searches.add;
    const { memory: _memory, handoff: _handoff, ...agent } = request.agent;
    if (wanted === "live") {
      return toolsets.create({ ...request, agent, askAgent: asked.ask, onCoverage });
    }
    const tools = agent.tools.filter(({ type }) => type !== "mcp");
    // Nobody is asked: the source answers.
    const askAgent = () => Promise.reject(new Error("a recorded call was executed"));
    const opened = toolsets.create({
      ...request,
      agent: { ...agent, tools },
      askAgent,
      onCoverage,
    });
    return withRecordedCalls(opened, {
      source: wanted,
      listed: toolsWithEffects(request.agent, { hasVisitor: request.visitor !== undefined }),
      onDiffering: (id) => answer.markDiffering(id),
    });
  }
}

const TIMEOUT = new DOMException("the trial's time is up", "TimeoutError");

function failureOf(error: unknown, signal: AbortSignal | undefined): TrialOutcome {
  if (signal?.aborted) return { finishReason: "cancelled" };
  if (error === TIMEOUT) return limitOutcome("timeout");
  if (error instanceof ModelError || error instanceof ApiError) {
    return { finishReason: "error", error: { code: error.code, message: error.message } };
  }
  const message = "the trial failed on our side";
  return { finishReason: "error", error: { code: "internal_error", message } };
}
