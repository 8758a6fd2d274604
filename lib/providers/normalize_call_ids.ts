import type { ModelMessage, ModelToolCall } from "./model.ts";

/**
 * Replaces call ids that a provider rejects: other providers use characters that it does not accept
 * (`functions.x:0`) or repeat ids in each step. An id that is `accepted` and unique stays, so that its
 * own provider gets it back unchanged.
 */
export function normalizeCallIds(
  messages: readonly ModelMessage[],
  accepted: RegExp,
): ModelMessage[] {
  const original = new Set(messages.flatMap((message) => toolCallsOf(message).map(({ id }) => id)));
  const used = new Set<string>();
  /** The new ids of the calls that still need a result, in order, by their original ids. */
  let pending = new Map<string, string[]>();
  return messages.map((message) => {
    if (message.role === "tool") {
      return { ...message, callId: pending.get(message.callId)?.shift() ?? message.callId };
    }
    if (message.role !== "assistant" || message.toolCalls === undefined) return message;
    pending = new Map();
    return { ...message, toolCalls: message.toolCalls.map(rename) };
  });

  function rename(call: ModelToolCall): ModelToolCall {
    const id = accepted.test(call.id) && !used.has(call.id) ? call.id : freeId();
    used.add(id);
    pending.set(call.id, [...pending.get(call.id) ?? [], id]);
    return id === call.id ? call : { ...call, id };
  }

  function freeId(): string {
    let n = used.size + 1;
    while (original.has(`call_${n}`) || used.has(`call_${n}`)) n++;
    return `call_${n}`;
  }
}

function toolCallsOf(message: ModelMessage): readonly ModelToolCall[] {
  return message.role === "assistant" ? message.toolCalls ?? [] : [];
}
