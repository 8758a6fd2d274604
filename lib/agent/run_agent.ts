import type { AgentOutcome, AgentRunOptions } from "./agent_run_options.ts";
import type { ModelToolCall, StopReason } from "../providers/model.ts";
import type { FinishReason } from "../schemas/error_codes.ts";
import { executeToolCalls } from "./execute_tool_calls.ts";
import { fitStep, fitTools } from "./fit_step.ts";
import { stripProviderMetadata } from "./sanitize_messages.ts";
import { openStep, streamStep } from "./open_step.ts";
import { type AnswerVerdict, StructuredAnswer } from "./structured_answer.ts";
import type { Toolset } from "./tools/toolset.ts";

/**
 * The agent loop: sends the conversation to a model and executes the tools it calls, until it stops
 * calling tools or `maxSteps` is reached. Throws a `ModelError` if no candidate accepts, and the
 * signal's reason if it is aborted.
 */
export async function runAgent(options: AgentRunOptions): Promise<AgentOutcome> {
  let messages = [...options.messages];
  let candidates = options.candidates;
  const { contextWindow, onEvent, signal } = options;
  const question = messages.length - 1;
  const { tools, omitted, overheadBytes } = fitTools(options);
  const { validateAnswer: validate, maxSteps } = options;
  const answer = validate && new StructuredAnswer({ validate, onEvent });
  for (let n = 1; n <= options.maxSteps; n++) {
    // Tools report an abort as their output, so only this check ends the loop.
    signal.throwIfAborted();
    const fitted = fitStep(messages, { contextWindow, overheadBytes, question });
    const { dropped, truncated, inputTokens, inputBytes } = fitted;
    if (dropped + truncated + omitted.length > 0) {
      options.onTruncation?.({
        droppedMessages: dropped,
        truncatedResults: truncated,
        omittedTools: omitted,
      });
    }
    const grant = await options.authorizeStep({ inputTokens, inputBytes, candidates });
    if ("ended" in grant) return grant.ended;
    const step = await openStep(candidates, { ...options, ...grant, ...fitted, tools });
    const { candidate } = step;
    if (candidate !== candidates[0]) messages = stripProviderMetadata(messages);
    onEvent({ type: "step", n, provider: candidate.provider, model: candidate.model });
    const { stopReason, toolCalls, message } = await streamStep(
      step,
      answer?.onStepEvent ?? onEvent,
    );
    const finish = (finishReason: StopReason & FinishReason): AnswerVerdict =>
      answer?.finish(message.content, { finishReason, canRepair: n < maxSteps }) ??
        { outcome: { finishReason } };
    if (stopReason !== "tool_calls") {
      const verdict = finish(stopReason);
      if ("outcome" in verdict) return verdict.outcome;
      candidates = [candidate];
      messages.push(message, { role: "user", content: verdict.repair });
      continue;
    }
    // The next step starts with this model; after any text, a different model must not continue it.
    const others = candidates.filter((other) => other !== candidate);
    candidates = message.content === "" ? [candidate, ...others] : [candidate];
    messages.push(message);
    messages.push(...await executeToolCalls(toolCalls, { ...options, tools }));
    const endsAnswer = ({ name }: ModelToolCall) => options.traitsOf?.(name).endsAnswer;
    // Only calls that leave nothing to say, such as follow-up questions below a finished text.
    const isAnswered = message.content.trim() !== "" && toolCalls.every(endsAnswer);
    if (!isAnswered || toolCalls.length === 0) continue;
    const verdict = finish("stop");
    if ("outcome" in verdict) return verdict.outcome;
    messages.push({ role: "user", content: verdict.repair });
  }
  const message = `the agent's ${options.maxSteps} steps are used up`;
  return { finishReason: "max_steps", error: { code: "budget_exceeded", message } };
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
