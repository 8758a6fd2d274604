import type { ModelMessage, ModelToolCall } from "./model.ts";

/**
 * Messages whose calls have ids that a vendor takes. Those of another vendor may hold what this one
 * refuses (`functions.x:0`), and some begin anew with every step, while others want each but once. An
 * id that is `accepted` and new stays as it is, so that what its own vendor is told is what it said.
 */
export function normalizeCallIds(
  messages: readonly ModelMessage[],
  accepted: RegExp,
): ModelMessage[] {
  const used = new Set(
    messages.flatMap((message) => toolCallsOf(message).map(({ id }) => id)),
  );
  const told = new Set<string>();
  /** Ids as told of the calls that still want a result, by their own ids, in their order. */
  let open = new Map<string, string[]>();
  return messages.map((message) => {
    if (message.role === "tool") {
      return { ...message, callId: open.get(message.callId)?.shift() ?? message.callId };
    }
    if (message.role !== "assistant" || message.toolCalls === undefined) return message;
    open = new Map();
    return { ...message, toolCalls: message.toolCalls.map(rename) };
  });

  function rename(call: ModelToolCall): ModelToolCall {
    const id = accepted.test(call.id) && !told.has(call.id) ? call.id : freeId();
    told.add(id);
    open.set(call.id, [...open.get(call.id) ?? [], id]);
    return id === call.id ? call : { ...call, id };
  }

  function freeId(): string {
    let n = told.size + 1;
    while (used.has(`call_${n}`) || told.has(`call_${n}`)) n++;
    return `call_${n}`;
  }
}

function toolCallsOf(message: ModelMessage): readonly ModelToolCall[] {
  return message.role === "assistant" ? message.toolCalls ?? [] : [];
}
