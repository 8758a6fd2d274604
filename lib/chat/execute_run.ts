import type { AgentEvent, AgentOutcome } from "../agent/agent_run_options.ts";
import { runWithGuardrails } from "../agent/guardrails/run_with_guardrails.ts";
import { runWithTools } from "../agent/run_agent.ts";
import type { Toolset } from "../agent/tools/toolset.ts";
import type { Admission } from "../billing/admission.ts";
import type { ModelName } from "../billing/model_access.ts";
import type { Charge } from "../billing/decide_settlement.ts";
import type { Logger } from "../platform/log.ts";
import { trace, type Tracing } from "../platform/tracing.ts";
import { type Runtime, setTimer } from "../platform/runtime.ts";
import type { ModelRegistry } from "../providers/model_registry.ts";
import type { AttachmentStore } from "../store/attachments/attachment_store.ts";
import type { CatalogueEntry } from "../store/providers/catalogue_store.ts";
import type { RunEnd, RunFacts } from "../store/runs/run_record.ts";
import type { AskedAgents } from "./tools/asked_agents.ts";
import { billingAnomaly } from "./cost/billing_anomaly.ts";
import { classifierEntries, createRunGuard, hasPaidOutputChecks } from "./guardrails.ts";
import { loadImages } from "./input/load_images.ts";
import type { PreparedRun } from "./prepare_run.ts";
import { contextWindow, findEntry } from "./input/resolve_candidates.ts";
import type { RunTrace } from "./run_trace.ts";
import { Run, type RunSettlement } from "./run.ts";
import { RunBudget } from "./cost/run_budget.ts";
import { toCandidate } from "./input/to_candidate.ts";
import type { RunCalls } from "./calls/run_calls.ts";
import type { RunLogWriter } from "./log/run_log_writer.ts";
import { runMetadata } from "./run_metadata.ts";
import type { RunSearches } from "./tools/run_searches.ts";
import type { RunReranker } from "./tools/run_reranker.ts";
import type { RunRegistry } from "./run_registry.ts";

export interface SettledRun {
  facts: RunFacts;
  end: RunEnd;
  firstAttempted: ModelName | undefined;
}

export interface ExecutionDeps {
  models: Pick<ModelRegistry, "find">;
  runtime: Runtime;
  log: Logger;
  /** A run without followers for this long is cancelled, milliseconds. */
  abandonedAfterMs: number;
  admission: Pick<Admission, "settle" | "reserve">;
  runs: RunRegistry;
  attachments: AttachmentStore;
  onSettled?: (run: SettledRun) => void;
  /** Set if traces are collected. */
  tracing?: Tracing | undefined;
}

/** Creates the run of an admitted message, connected to its stored log and its settlement. */
export function createRun(
  prepared: PreparedRun,
  { deps, tools, asked, searches, runTrace }: {
    runTrace?: RunTrace | undefined;
    deps: ExecutionDeps;
    tools: Toolset;
    asked: AskedAgents;
    searches: RunSearches;
  },
): Run {
  const { request, facts, droppedMessages, guardrails } = prepared;
  const { runtime, runs, abandonedAfterMs, log } = deps;
  const { runId, conversationId, tenant, source, provider, model } = facts;
  let writer: RunLogWriter | undefined;
  const logWriter = () =>
    writer ??= runs.createLogWriter(prepared, {
      log: run.log,
      onLost: () => run.stop("interrupted"),
    });
  const run: Run = new Run({
    runId,
    tenant,
    requestId: request.body.requestId ?? request.requestId,
    conversationId,
    startedBy: source.id,
    primary: { provider, model },
    ...prepared.held && { handoff: prepared.held },
    runtime,
    abandonedAfterMs,
    price: (name) => findEntry(asked.facts.entries, name) ?? priceOf(prepared, name),
    metadata: (truncation) =>
      runMetadata({
        droppedMessages,
        truncation,
        egressCalls: [...tools.egressCalls, ...asked.facts.egressCalls],
        notes: [...tools.notes, ...asked.facts.notes],
        asked: asked.facts.asked,
        guardrails: guardrails?.hits.all ?? [],
        coverage: searches.coverage,
      }),
    onFrame: (frame) => logWriter().onAppend(frame),
    isFollowedElsewhere: () => runs.isFollowedElsewhere(tenant, runId),
    settle: async (settlement) => {
      const context = { deps, log: run.log, writer: logWriter() };
      const work = () => settleRun(prepared, settlement, context);
      const charge = await trace(deps.tracing, { name: "settlement", work });
      runTrace?.onSettled(settlement.end, charge);
      deps.onSettled?.({ facts, end: settlement.end, firstAttempted: run.firstAttempted });
      return charge;
    },
    reportError: (error) => log.error("run failed", { runId, error: String(error) }),
  });
  return run;
}

async function settleRun(
  prepared: PreparedRun,
  settlement: RunSettlement,
  { deps: { admission, runs, log }, ...context }: {
    deps: ExecutionDeps;
    log: Run["log"];
    writer: RunLogWriter;
  },
): Promise<Charge> {
  const { facts, maxCost } = prepared;
  const { end, costMicroUsd: cost, opened } = settlement;
  const { runId } = facts;
  const settleHook = await runs.settleHook(prepared, { ...settlement, ...context })
    .catch((error) => {
      // The slot must be freed even if the end cannot be stored.
      log.error("cannot store the end of a run", { runId, error: String(error) });
      return runs.interruptionHook(facts, context.writer);
    });
  const stored = { end: runs.sealEnd(facts, end), cost, settleHook, opened };
  const charge = await admission.settle(runId, { ...stored, ceiling: maxCost });
  const anomaly = billingAnomaly({ end, cost, charge, price: priceOf(prepared, end) });
  if (anomaly !== undefined) {
    const { provider, model, inputTokens, outputTokens } = end;
    const costs = { costMicroUsd: charge.charged, excessMicroUsd: charge.excess };
    log.warn(anomaly, { runId, provider, model, inputTokens, outputTokens, ...costs });
  }
  return charge;
}

/** Drives the agent loop until the run is settled. `hold` is what admission reserved, micro-USD. */
export async function executeRun(
  run: Run,
  prepared: PreparedRun,
  { deps, hold, tools, asked, calls, reranker }: {
    deps: ExecutionDeps;
    hold: number;
    tools: Toolset;
    asked: AskedAgents;
    calls: RunCalls;
    reranker: RunReranker;
  },
): Promise<void> {
  const { request: { agent }, facts, held, policy, system, messages, maxCost } = prepared;
  if (held !== undefined) {
    return await run.drive((onEvent) => answerHeld(facts, { agent, onEvent }));
  }
  const { runtime, admission, models, attachments, tracing } = deps;
  const { wallClockMs, maxSteps } = agent.budget;
  const deadline = runtime.now() + wallClockMs;
  const budget = new RunBudget({
    entries: [...policy.entries, ...sideEntries(prepared)],
    hasOutputChecks: hasPaidOutputChecks(prepared.guardrails),
    maxOutputTokens: policy.maxOutputTokens,
    maxCost,
    hold,
    spent: () => run.usage.costMicroUsd,
    raise: (amount) => admission.reserve(run.id, amount),
    now: () => runtime.now(),
    deadline,
    waitedMs: () => calls.waitedMs,
  });
  asked.begin({ budget, usage: run.usage, stepsBefore: 0, maxSteps });
  reranker.begin({ budget, usage: run.usage });
  const guard = prepared.guardrails &&
    createRunGuard(prepared.guardrails, { run, budget, models, runtime });
  if (guard !== undefined) calls.guardEvents((event) => guard.guardEvent(event));
  const cancelTimer = setTimer(runtime, wallClockMs, () => run.stop("timeout"));
  try {
    await run.drive(async (onEvent) => {
      using images = await loadImages(messages, {
        ...{ tenant: run.tenant, attachments, signal: run.signal },
      });
      const options: Parameters<typeof runWithTools>[1] = {
        onEvent,
        candidates: policy.entries.map((entry) => toCandidate(entry, models)),
        system,
        messages,
        authorizeStep: (step) => budget.authorizeStep(step),
        onAttempt: (candidate) => run.onAttempt(candidate),
        onUsage: ({ provider, model }, usage) => run.usage.addTokens({ ...usage, provider, model }),
        contextWindow: contextWindow(policy),
        onTruncation: (truncation) => run.usage.addTruncation(truncation),
        onLastStep: (limit) => run.usage.lastStepLimit = limit,
        ...calls.forLoop,
        maxSteps,
        stepsUsed: () => run.usage.steps,
        deadline,
        signal: run.signal,
        tracing,
        ...(images.contents.size === 0 ? {} : { images: images.contents }),
        ...policy.settings,
        affinity: facts.conversationId,
      };
      return guard === undefined
        ? await runWithTools(tools, options)
        : await runWithGuardrails(guard, { ...options, tools });
    });
  } finally {
    cancelTimer();
  }
}

/** Answers a message to a person: with the agent's note for the visitor, and without a model. */
function answerHeld(
  { provider, model }: PreparedRun["facts"],
  { agent, onEvent }: {
    agent: PreparedRun["request"]["agent"];
    onEvent: (event: AgentEvent) => void;
  },
): Promise<AgentOutcome> {
  onEvent({ type: "step", n: 1, provider, model });
  onEvent({ type: "text", text: agent.handoff!.message });
  return Promise.resolve({ finishReason: "stop" });
}

function priceOf(
  prepared: PreparedRun,
  name: ModelName,
): CatalogueEntry {
  const { entries } = prepared.policy;
  return findEntry(entries, name) ?? findEntry(sideEntries(prepared), name) ?? entries[0]!;
}

/** The models that are asked beside the steps, for their prices. */
function sideEntries({ guardrails, reranker }: PreparedRun): CatalogueEntry[] {
  return [...classifierEntries(guardrails), ...reranker === undefined ? [] : [reranker]];
}
