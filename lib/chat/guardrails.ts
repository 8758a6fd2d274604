import {
  classifierRequest,
  judge,
  type Verdict,
  VERDICT_TOKENS,
} from "../agent/guardrails/classifier.ts";
import { guardInput, type StopAction } from "../agent/guardrails/guard_input.ts";
import { GuardrailHits } from "../agent/guardrails/guardrail_hits.ts";
import { inputToJudge, RunGuard } from "../agent/guardrails/run_guard.ts";
import type { ModelAccess } from "../billing/model_access.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { ModelMessage } from "../providers/model.ts";
import type { ModelRegistry } from "../providers/model_registry.ts";
import { GUARDRAIL_SIDES, type Guardrails, type GuardrailSide } from "../schemas/guardrails.ts";
import type { CatalogueEntry } from "../store/providers/catalogue_store.ts";
import type { KvReader } from "../store/tx/read_transaction.ts";
import type { ChatRequest } from "./chat_request.ts";
import type { Run } from "./run.ts";
import type { RunBudget } from "./cost/run_budget.ts";
import { stepCost } from "./cost/step_cost.ts";

/** The guardrails of an agent, and what they decided about its message. */
export interface PreparedGuardrails {
  settings: Guardrails;
  inputStop?: StopAction | undefined;
  /** The agent's, which visitors read when a person comes. */
  handoffMessage?: string | undefined;
  hits: GuardrailHits;
  /** The models of the classifiers; one that the plan does not include any more is unavailable. */
  classifiers: Partial<Record<GuardrailSide, CatalogueEntry>>;
}

/** Applies the rules to a message before anything else reads it. */
export function guardRequest(
  request: ChatRequest,
): { request: ChatRequest; guardrails?: Omit<PreparedGuardrails, "classifiers"> } {
  const { guardrails: settings, handoff } = request.agent;
  if (settings === undefined) return { request };
  const fixed = { settings, handoffMessage: handoff?.message };
  if (settings.input === undefined) {
    return { request, guardrails: { ...fixed, hits: new GuardrailHits() } };
  }
  const { messages, stop, hits } = guardInput(request.body.messages, settings.input);
  return {
    request: { ...request, body: { ...request.body, messages } },
    guardrails: { ...fixed, inputStop: stop, hits },
  };
}

/** Finds the models of the classifiers. */
export async function findClassifiers(
  { input, output }: Guardrails,
  { tenant, access, reader }: {
    tenant: string;
    access: ModelAccess;
    reader?: KvReader | undefined;
  },
): Promise<PreparedGuardrails["classifiers"]> {
  const find = (name: { provider: CatalogueEntry["vendor"]; model: string } | undefined) =>
    name && access.find(tenant, name, reader);
  const [ofInput, ofOutput] = await Promise.all([
    find(input?.classifier),
    find(output?.classifier),
  ]);
  return { ...ofInput && { input: ofInput }, ...ofOutput && { output: ofOutput } };
}

/** The most that the check before the first step can cost, micro-USD. */
export function inputCheckCost(
  { settings, inputStop, classifiers }: PreparedGuardrails,
  messages: readonly ModelMessage[],
): number {
  const policy = settings.input?.classifier?.policy;
  if (classifiers.input === undefined || policy === undefined || inputStop !== undefined) return 0;
  const { inputBytes, inputTokens } = classifierRequest(policy, inputToJudge(messages));
  const step = { inputBytes, inputTokens, outputTokens: VERDICT_TOKENS };
  return stepCost([classifiers.input], step).max;
}

/** The entries of all classifiers, for their prices. */
export function classifierEntries(guardrails: PreparedGuardrails | undefined): CatalogueEntry[] {
  return GUARDRAIL_SIDES.flatMap((side) => guardrails?.classifiers[side] ?? []);
}

/** True if checks of the output cost money, which steps must leave. */
export function hasPaidOutputChecks(guardrails: PreparedGuardrails | undefined): boolean {
  const entry = guardrails?.classifiers.output;
  return entry !== undefined && entry.inputUsdPerMTok + entry.outputUsdPerMTok > 0;
}

/** The guardrails of a run that is about to be executed. */
export function createRunGuard(
  guardrails: PreparedGuardrails,
  { run, budget, models, runtime }: {
    run: Pick<Run, "usage" | "signal">;
    budget: RunBudget;
    models: Pick<ModelRegistry, "find">;
    runtime: Pick<Runtime, "sleep">;
  },
): RunGuard {
  const { settings, classifiers } = guardrails;
  const judgeText = async (
    side: GuardrailSide,
    text: string,
    signal: AbortSignal,
  ): Promise<Verdict> => {
    const entry = classifiers[side];
    if (entry === undefined) return "unavailable";
    const { vendor: provider, model, contextTokens } = entry;
    const policy = settings[side]!.classifier!.policy;
    // The provider would reject it; every token has at least one byte.
    if (classifierRequest(policy, text).inputTokens / 3 > contextTokens) return "unavailable";
    return await judge(text, {
      candidate: { provider, model, client: models.find(provider, model) },
      policy,
      authorize: (step) => budget.authorizeCheck(step),
      onUsage: (candidate, usage) =>
        run.usage.addCheck({ ...usage, provider: candidate.provider, model: candidate.model }),
      runtime,
      signal,
    });
  };
  return new RunGuard({ ...guardrails, judge: judgeText, signal: run.signal });
}
