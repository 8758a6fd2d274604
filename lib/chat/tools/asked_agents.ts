import type { AgentOutcome } from "../../agent/agent_run_options.ts";
import { runWithTools } from "../../agent/run_agent.ts";
import type { AgentAnswer, AskAgent } from "../../agent/tools/ask_agent_tool.ts";
import { ToolError } from "../../agent/tools/tool_error.ts";
import type { Toolset } from "../../agent/tools/toolset.ts";
import type { ToolsetFactory } from "../../agent/tools/toolset_factory.ts";
import { expandPrompt } from "../../agent/visitor_variables.ts";
import type { ModelAccess } from "../../billing/model_access.ts";
import { toMicroUsd } from "../../billing/micro_usd.ts";
import type { EgressCall } from "../../egress/egress_error.ts";
import type { Tracing } from "../../platform/tracing.ts";
import { type Runtime, setTimer } from "../../platform/runtime.ts";
import type { ModelRegistry } from "../../providers/model_registry.ts";
import type { Agent } from "../../schemas/agent.ts";
import { ApiError } from "../../schemas/api_error.ts";
import { AGENT_TOOL_BOUNDS } from "../../schemas/limits.ts";
import type { AgentStore } from "../../store/agents/agent_store.ts";
import type { CatalogueEntry } from "../../store/providers/catalogue_store.ts";
import type { AskedAgent } from "../../store/runs/run_record.ts";
import { AskedAnswer, toToolError, unreachable } from "./asked_answer.ts";
import type { ChatRequest } from "../chat_request.ts";
import {
  contextWindow,
  resolveCandidates,
  type ResolvedPolicy,
} from "../input/resolve_candidates.ts";
import type { RunBudget } from "../cost/run_budget.ts";
import type { RunUsage } from "../cost/run_usage.ts";
import { toCandidate } from "../input/to_candidate.ts";
import { toolsForAsking } from "./tools_for_asking.ts";

export interface AskedAgentsDeps {
  agents: Pick<AgentStore, "getServed">;
  access: ModelAccess;
  models: Pick<ModelRegistry, "find">;
  toolsets: Pick<ToolsetFactory, "create">;
  runtime: Runtime;
  /** Closes tools in the background. */
  close: (tools: Toolset) => void;
  /** Set if traces are collected. */
  tracing?: Tracing | undefined;
}

/** What an agent that asks others has left: its answer is inside the budget of the one run. */
export interface AskingLevel {
  budget: RunBudget;
  usage: RunUsage;
  /** The run's steps when this agent began, and how many it may add to them. */
  stepsBefore: number;
  maxSteps: number;
}

/** What the agents of one run share: their prices, and the facts for its record. */
interface SharedFacts {
  entries: CatalogueEntry[];
  asked: AskedAgent[];
  egressCalls: EgressCall[];
  notes: string[];
}

type Asker = Pick<ChatRequest, "tenant" | "visitor" | "source">;

/**
 * The agents that one agent asks during a run. Their steps, cost and time are the run's: money is reserved
 * by its budget at the prices of their models, and stopping the run stops them. They see nothing of the
 * conversation but the question.
 */
export class AskedAgents {
  readonly #deps: AskedAgentsDeps;
  readonly #asker: Asker;
  /** The ids of the agents above, this one last. */
  readonly #chain: readonly string[];
  readonly facts: SharedFacts;
  #level: AskingLevel | undefined;
  /** Agents share one reservation, so they answer one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    deps: AskedAgentsDeps,
    { asker, chain, facts = { entries: [], asked: [], egressCalls: [], notes: [] } }: {
      asker: Asker;
      chain: readonly string[];
      facts?: SharedFacts;
    },
  ) {
    this.#deps = deps;
    this.#asker = asker;
    this.#chain = chain;
    this.facts = facts;
  }

  /** Call it before the agent's first step. */
  begin(level: AskingLevel): void {
    this.#level = level;
  }

  /** Absent below the agents that may ask. */
  get ask(): AskAgent | undefined {
    if (this.#chain.length > AGENT_TOOL_BOUNDS.depth) return undefined;
    return (request, call) => {
      const answer = this.#last.then(() => this.#ask(request, call));
      this.#last = answer.catch(() => {});
      return answer;
    };
  }

  async #ask(
    { agentId, message }: Parameters<AskAgent>[0],
    { signal, id: callId, runId }: Parameters<AskAgent>[1],
  ): Promise<AgentAnswer> {
    signal.throwIfAborted();
    const level = this.#level!;
    const agent = await this.#deps.agents.getServed(this.#asker.tenant, agentId);
    if (agent === undefined) throw unreachable("the agent does not exist any more");
    // Checked when agents are saved, but two may be saved at once.
    if (this.#chain.includes(agent.id)) throw unreachable("the agent is waiting for this answer");
    const used = level.usage.steps - level.stepsBefore;
    // One step stays for the answer of the agent that asks.
    const maxSteps = Math.min(agent.budget.maxSteps, level.maxSteps - used - 1);
    if (maxSteps < 1) throw unreachable("the steps of this answer are used up");
    const policy = await this.#resolve(agent);
    const { runtime } = this.#deps;
    const ms = Math.min(agent.budget.wallClockMs, level.budget.askingMs);
    if (ms <= 0) throw unreachable("the time of this answer is used up");
    const deadline = runtime.now() + ms;
    const timeout = new AbortController();
    const cancelTimer = setTimer(runtime, ms, () => timeout.abort());
    const budget = level.budget.nested({
      entries: policy.entries,
      maxOutputTokens: policy.maxOutputTokens,
      maxCost: toMicroUsd(agent.budget.maxCostUsd),
      deadline,
    });
    const stepsBefore = level.usage.steps;
    const inner = { budget, usage: level.usage, stepsBefore, maxSteps };
    const both = AbortSignal.any([signal, timeout.signal]);
    try {
      return await this.#run({ agent, policy, message }, {
        ...{ level: inner, deadline, signal: both, callId, runId },
      });
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.signal.aborted) {
        throw new ToolError("tool_timeout", "the agent did not answer in its time");
      }
      throw toToolError(error);
    } finally {
      cancelTimer();
    }
  }

  async #run(
    { agent, policy, message }: { agent: Agent; policy: ResolvedPolicy; message: string },
    { level, deadline, signal, callId, runId }: {
      level: AskingLevel;
      deadline: number;
      signal: AbortSignal;
      /** Of the question: calls of the agent's tools are numbered below it. */
      callId: string | undefined;
      runId: string | undefined;
    },
  ): Promise<AgentAnswer> {
    const { models, toolsets, close } = this.#deps;
    const { visitor } = this.#asker;
    const { usage, budget, maxSteps } = level;
    const inner = new AskedAgents(this.#deps, {
      ...{ asker: this.#asker, facts: this.facts, chain: [...this.#chain, agent.id] },
    });
    inner.begin(level);
    const tools = toolsets.create({
      ...this.#asker,
      agent: toolsForAsking(agent),
      ...inner.ask && { askAgent: inner.ask },
    });
    const before = { cost: usage.costMicroUsd, steps: usage.steps };
    const answer = new AskedAnswer(usage);
    let outcome: AgentOutcome | undefined;
    try {
      outcome = await runWithTools(tools, {
        candidates: policy.entries.map((entry) => toCandidate(entry, models)),
        system: expandPrompt(agent.systemPrompt, { variables: agent.variables, visitor }),
        messages: [{ role: "user", content: message }],
        authorizeStep: (step) => budget.authorizeStep(step),
        onUsage: ({ provider, model }, used) => usage.addTokens({ ...used, provider, model }),
        contextWindow: contextWindow(policy),
        stepsUsed: () => usage.steps - level.stepsBefore,
        ...{ onEvent: answer.onEvent, maxSteps, deadline, signal, mustAnswer: true },
        tracing: this.#deps.tracing,
        ...callId !== undefined && { keyPrefix: callId },
        ...runId !== undefined && { runId },
        ...policy.settings,
      });
      return answer.end(outcome);
    } finally {
      this.facts.asked.push({
        agentId: agent.id,
        steps: usage.steps - before.steps,
        cost: usage.costMicroUsd - before.cost,
        finishReason: outcome?.finishReason ?? "error",
        tools: answer.calls,
      });
      this.facts.egressCalls.push(...tools.egressCalls);
      this.facts.notes.push(...tools.notes);
      close(tools);
    }
  }

  /** The agent's own models, at the prices that the run is charged. */
  async #resolve(agent: Agent): Promise<ResolvedPolicy> {
    const { tenant } = this.#asker;
    const body = { agentId: agent.id, messages: [] };
    try {
      const policy = await resolveCandidates({
        ...{ tenant, agent, body, visitor: false, access: this.#deps.access },
      });
      this.facts.entries.push(...policy.entries);
      return policy;
    } catch (error) {
      if (error instanceof ApiError) throw unreachable("the agent's model is not available");
      throw error;
    }
  }
}
