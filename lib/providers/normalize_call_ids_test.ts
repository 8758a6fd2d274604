import { assertEquals } from "@std/assert";
import { normalizeCallIds } from "./normalize_call_ids.ts";
import type { ModelMessage } from "./model.ts";

const PLAIN = /^[a-zA-Z0-9_-]{1,64}$/;

/** One step that called with `ids`, and its results in the same order. */
function step(...ids: string[]): ModelMessage[] {
  const toolCalls = ids.map((id) => ({ id, name: "x", args: "{}" }));
  const results = ids.map((callId, n): ModelMessage => (
    { role: "tool", callId, name: "x", output: n }
  ));
  return [{ role: "assistant", content: "", toolCalls }, ...results];
}

/** The ids of calls and results, in order. */
function idsOf(messages: readonly ModelMessage[]): string[] {
  return messages.flatMap((message) =>
    message.role === "tool"
      ? [`-> ${message.callId}`]
      : message.role === "assistant"
      ? (message.toolCalls ?? []).map(({ id }) => id)
      : []
  );
}

Deno.test("normalizeCallIds: accepted ids stay unchanged", () => {
  const messages = [...step("toolu_1", "call-2"), ...step("own_3_1")];
  assertEquals(normalizeCallIds(messages, PLAIN), messages);
});

Deno.test("normalizeCallIds: other ids are replaced, in their results too", () => {
  const told = normalizeCallIds([...step("functions.x:0", "call_1"), ...step("", "ä")], PLAIN);
  assertEquals(idsOf(told), [
    ...["call_2", "call_1", "-> call_2", "-> call_1"],
    ...["call_3", "call_4", "-> call_3", "-> call_4"],
  ]);
});

Deno.test("normalizeCallIds: a repeated id is replaced", () => {
  const told = normalizeCallIds([...step("call_0", "call_0"), ...step("call_0")], PLAIN);
  assertEquals(idsOf(told), [
    ...["call_0", "call_2", "-> call_0", "-> call_2"],
    ...["call_3", "-> call_3"],
  ]);
});
