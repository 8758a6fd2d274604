import type { ModelMessage, ModelToolCall } from "../providers/model.ts";
import { type ExecuteOptions, executeToolCall, startToolCall } from "./execute_tool_call.ts";

/** Calls that run beside each other at most. */
const MAX_PARALLEL = 8;

/**
 * Executes the calls of one step and returns the messages with their results, in the model's order. Calls
 * run one after the other, except neighbors whose tools all allow others beside them.
 */
export async function executeToolCalls(
  calls: readonly ModelToolCall[],
  options: ExecuteOptions,
): Promise<ModelMessage[]> {
  const messages: ModelMessage[] = [];
  for (const batch of toBatches(calls, options)) {
    options.signal.throwIfAborted();
    messages.push(
      ...batch.length === 1
        ? [await executeToolCall(batch[0]!, options)]
        : await executeBeside(batch, options),
    );
  }
  return messages;
}

function toBatches(
  calls: readonly ModelToolCall[],
  { traitsOf }: ExecuteOptions,
): ModelToolCall[][] {
  const batches: ModelToolCall[][] = [];
  let isOpen = false;
  for (const call of calls) {
    const { parallel, wait } = traitsOf?.(call.name) ?? {};
    const mayRunBeside = parallel === true && wait === undefined;
    const last = batches.at(-1);
    if (mayRunBeside && isOpen && last!.length < MAX_PARALLEL) last!.push(call);
    else batches.push([call]);
    isOpen = mayRunBeside;
  }
  return batches;
}

/**
 * Executes calls at once. Their events are still pairs, each call followed by its result, because clients
 * take a result for that of the call before it. The numbers of the later calls' events, which identify the
 * calls to their servers, are known before: nothing else happens until the last result.
 */
async function executeBeside(
  calls: readonly ModelToolCall[],
  options: ExecuteOptions,
): Promise<ModelMessage[]> {
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const [first, ...others] = calls.map((call) => startToolCall(call, { ...options, signal }));
  const n = first!.announce(undefined, others.length);
  const begun = [first!, ...others].map((call, i) => {
    const output = call.execute(n === undefined ? undefined : n + 2 * i);
    // One that fails on our side ends the run below, and the others have no reader then.
    output.catch((error) => failed.abort(error));
    return { call, output };
  });
  const messages: ModelMessage[] = [];
  for (const [i, { call, output }] of begun.entries()) {
    const result = await output;
    failed.signal.throwIfAborted();
    const number = i === 0 ? n : call.announce();
    messages.push(call.finish(result, number));
  }
  return messages;
}
