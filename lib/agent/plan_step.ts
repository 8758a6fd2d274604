import type { ModelMessage } from "../providers/model.ts";
import type { AgentOutcome, AgentRunOptions, Candidate, StepGrant } from "./agent_run_options.ts";
import { fitStep, type FittedStep, type FittedTools, shrinkStep } from "./fit_step.ts";
import { NOTICE_BYTES, type StepLimit } from "./last_step.ts";

type PlanOptions =
  & Pick<AgentRunOptions, "authorizeStep" | "contextWindow">
  & Pick<AgentRunOptions, "onLastStep" | "onTruncation">
  & {
    /** The step's number, from 1. */
    n: number;
    /** No step is left after it. */
    isLast: boolean;
    candidates: readonly Candidate[];
    overhead: FittedTools;
    /** Index of the user's last message. */
    question: number;
  };

/** An authorized step; `limit` is set if the model has to finish within it. */
export interface StepPlan {
  fitted: FittedStep;
  grant: Exclude<StepGrant, { ended: AgentOutcome }>;
  limit: StepLimit | undefined;
}

/**
 * Fits the messages of a step and authorizes its cost. After tool calls, the step is the last one if the
 * budget will not pay for another; then the cost of its notice is authorized too. A step that the budget
 * pays for only in part is shortened to that part, and is the last one.
 */
export async function planStep(
  messages: readonly ModelMessage[],
  options: PlanOptions,
): Promise<StepPlan | { ended: AgentOutcome }> {
  const { n, candidates, isLast, overhead, question, contextWindow } = options;
  const authorize = async (fitted: FittedStep) => {
    const { inputTokens, inputBytes } = fitted;
    const grant = await options.authorizeStep({ inputTokens, inputBytes, candidates });
    return { fitted, grant };
  };
  const noticed = { question, overheadBytes: overhead.overheadBytes + NOTICE_BYTES };
  const fit = () =>
    fitStep(messages, { question, contextWindow, overheadBytes: overhead.overheadBytes });
  const fitLast = () => fitStep(messages, { ...noticed, contextWindow });

  let limit: StepLimit | undefined = isLast ? "max_steps" : undefined;
  let plan = await authorize(isLast ? fitLast() : fit());
  if (n > 1 && limit === undefined && "limit" in plan.grant && plan.grant.limit !== undefined) {
    limit = plan.grant.limit;
    plan = await authorize(fitLast());
  }
  if (n > 1 && "ended" in plan.grant && plan.grant.affordableInput !== undefined) {
    const shortened = shrinkStep(messages, { ...noticed, tokens: plan.grant.affordableInput });
    if (shortened === undefined) return plan.grant;
    limit ??= "max_cost";
    plan = await authorize(shortened);
  }
  const { fitted, grant } = plan;
  if ("ended" in grant) return grant;
  report(fitted, options);
  if (limit !== undefined) options.onLastStep?.(limit);
  return { fitted, grant, limit };
}

function report(
  { dropped: droppedMessages, truncated: truncatedResults }: FittedStep,
  { overhead: { omitted: omittedTools }, onTruncation }: PlanOptions,
): void {
  if (droppedMessages + truncatedResults + omittedTools.length === 0) return;
  onTruncation?.({ droppedMessages, truncatedResults, omittedTools });
}
