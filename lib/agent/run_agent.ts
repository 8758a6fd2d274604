import type { AgentOutcome, AgentRunOptions } from "./agent_run_options.ts";
import type { ModelToolCall, StopReason } from "../providers/model.ts";
import type { FinishReason } from "../schemas/error_codes.ts";
import { openSpan } from "../platform/tracing.ts";
import { executeToolCalls } from "./execute_tool_calls.ts";
import { fitTools } from "./fit_step.ts";
import { lastStepRequest, limitOutcome } from "./last_step.ts";
import { planStep } from "./plan_step.ts";
import { stripProviderMetadata } from "./sanitize_messages.ts";
import { openStep, streamStep } from "./open_step.ts";
import { type AnswerVerdict, StructuredAnswer } from "./structured_answer.ts";
import type { Toolset } from "./tools/toolset.ts";

/**
 * The agent loop: sends the conversation to a model and executes the tools it calls, until it stops
 * calling tools. If the budget will not pay for another step, the model is asked to finish without tools;
 * the run ends on its budget if the model does not. Throws a `ModelError` if no candidate accepts, and the
 * signal's reason if it is aborted.
 */
export async function runAgent(options: AgentRunOptions): Promise<AgentOutcome> {
  let messages = [...options.messages];
  let candidates = options.candidates;
  const { onEvent, signal } = options;
  const question = messages.length - 1;
  const overhead = fitTools(options);
  const { tools } = overhead;
  const { validateAnswer: validate, maxSteps } = options;
  const answer = validate && new StructuredAnswer({ validate, onEvent });
  const stepsUsed = (own: number) => options.stepsUsed?.() ?? own;
  for (let n = 1; stepsUsed(n - 1) < maxSteps; n++) {
    // Tools report an abort as their output, so only this check ends the loop.
    signal.throwIfAborted();
    const plan = await planStep(messages, {
      ...{ ...options, n, candidates, overhead, question },
      isLast: (n > 1 || options.mustAnswer === true) && stepsUsed(n - 1) === maxSteps - 1,
    });
    if ("ended" in plan) return plan.ended;
    using scope = openSpan(options.tracing, { name: "step", attributes: { "agent_chat.step": n } });
    const { fitted, grant, limit } = plan;
    const request = { ...options, ...grant, ...fitted, tools };
    const planned = limit === undefined
      ? request
      : { ...request, ...lastStepRequest(options.system) };
    const step = await scope.within(() => openStep(candidates, planned));
    const { candidate } = step;
    if (candidate !== candidates[0]) messages = stripProviderMetadata(messages);
    onEvent({ type: "step", n, provider: candidate.provider, model: candidate.model });
    const { stopReason, toolCalls, message } = await streamStep(
      step,
      answer?.onStepEvent ?? onEvent,
    );
    const canRepair = limit === undefined && stepsUsed(n) < maxSteps;
    const finish = (finishReason: StopReason & FinishReason): AnswerVerdict =>
      answer?.finish(message.content, { finishReason, canRepair }) ?? { outcome: { finishReason } };
    if (stopReason !== "tool_calls") {
      const verdict = finish(stopReason);
      if ("outcome" in verdict) return verdict.outcome;
      candidates = [candidate];
      messages.push(message, { role: "user", content: verdict.repair });
      continue;
    }
    const endsAnswer = ({ name }: ModelToolCall) => options.traitsOf?.(name).endsAnswer;
    // Only calls that leave nothing to say, such as follow-up questions below a finished text.
    const isAnswered = message.content.trim() !== "" && toolCalls.length > 0 &&
      toolCalls.every(endsAnswer);
    // Other calls are neither executed nor shown: no step is left to answer their results.
    if (limit !== undefined && !isAnswered) return limitOutcome(limit);
    // The next step starts with this model; after any text, a different model must not continue it.
    const others = candidates.filter((other) => other !== candidate);
    candidates = message.content === "" ? [candidate, ...others] : [candidate];
    messages.push(message);
    messages.push(
      ...await scope.within(() => executeToolCalls(toolCalls, { ...options, tools })),
    );
    if (!isAnswered) continue;
    const verdict = finish("stop");
    if ("outcome" in verdict) return verdict.outcome;
    messages.push({ role: "user", content: verdict.repair });
  }
  return limitOutcome("max_steps");
}

/** Runs the loop with the tools of a toolset, which are listed first. */
export async function runWithTools(
  toolset: Toolset,
  options: Omit<
    AgentRunOptions,
    "tools" | "traitsOf" | "executeTool" | "checkCall" | "validateAnswer"
  >,
): Promise<AgentOutcome> {
  const tools = await toolset.listTools(options.signal);
  const { responseSchema: schema } = options;
  const validateAnswer = schema && await toolset.validatorOf(schema);
  const executeTool: AgentRunOptions["executeTool"] = (...call) => toolset.execute(...call);
  const traitsOf = (name: string) => toolset.traitsOf(name);
  const checkCall: AgentRunOptions["checkCall"] = (...call) => toolset.check(...call);
  const hooks = { traitsOf, executeTool, checkCall, ...validateAnswer && { validateAnswer } };
  return await runAgent({ ...options, tools, ...hooks });
}
