import { assert, assertEquals, assertMatch } from "@std/assert";
import type { ModelMessage } from "../providers/model.ts";
import { fitMessages, fitStep, fitTools, shrinkStep } from "./fit_step.ts";

const user = (length: number): ModelMessage => ({ role: "user", content: "u".repeat(length) });
const assistant = (length: number): ModelMessage => ({
  role: "assistant",
  content: "a".repeat(length),
});
const called: ModelMessage = {
  role: "assistant",
  content: "",
  toolCalls: [{ id: "1", name: "x", args: "{}" }],
};
const result = (output: unknown): ModelMessage => ({
  role: "tool",
  callId: "1",
  name: "x",
  output,
});
const tool = (name: string, length = 0) => ({
  name,
  description: "d".repeat(length),
  parameters: { type: "object" },
});

/** Fits `messages` into a context window of about `bytes`. */
function fit(messages: ModelMessage[], { bytes, question }: { bytes: number; question: number }) {
  const contextWindow = { contextTokens: Math.floor(bytes / 3) + 10, maxOutputTokens: 10 };
  return fitStep(messages, { overheadBytes: 2, contextWindow, question });
}

function outputAt(fitted: { messages: readonly ModelMessage[] }, n: number): string {
  const message = fitted.messages[n];
  assert(message?.role === "tool");
  return String(message.output);
}

Deno.test("fitStep: messages that fit stay unchanged, however long their JSON", () => {
  const messages = [user(10), { role: "user" as const, content: "\n".repeat(300) }];
  const fitted = fit(messages, { bytes: 330, question: 1 });
  assertEquals([fitted.messages, fitted.dropped, fitted.truncated], [messages, 0, 0]);
});

Deno.test("fitStep: a large tool result drops the oldest turns", () => {
  const messages = [
    user(300),
    assistant(300),
    user(300),
    assistant(300),
    user(30),
    called,
    result("r".repeat(600)),
  ];
  const fitted = fit(messages, { bytes: 1_300, question: 4 });
  assertEquals([fitted.dropped, fitted.truncated], [2, 0]);
  assertEquals(fitted.messages, messages.slice(2));
  assert(fitted.inputTokens < 1_700);
});

Deno.test("fitStep: provider metadata of turns and calls counts", () => {
  const calls = { id: "1", name: "x", args: "{}", providerMetadata: "o".repeat(300) };
  const turn = {
    ...called,
    toolCalls: [calls],
    providerMetadata: "o".repeat(300),
  } as ModelMessage;
  const messages = [user(300), assistant(300), user(30), turn, result("r".repeat(100))];
  assertEquals(fit(messages, { bytes: 1_600, question: 2 }).dropped, 0);
  assertEquals(fit(messages, { bytes: 1_100, question: 2 }).dropped, 2);
});

Deno.test("fitStep: a tool result that does not fit alone is truncated and marked", () => {
  const messages = [user(300), assistant(9), user(30), called, result({ text: "é".repeat(5_000) })];
  const fitted = fit(messages, { bytes: 1_000, question: 2 });
  assertEquals([fitted.dropped, fitted.truncated, fitted.messages.length], [2, 1, 3]);
  const truncated = outputAt(fitted, 2);
  assertMatch(truncated, /^\{"text":"é+\n\[cut: the first \d+ of 10011 bytes; the rest does not/);
  assert(new TextEncoder().encode(truncated).length <= 970);
  assertEquals(
    messages[4],
    result({ text: "é".repeat(5_000) }),
    "the original result is unchanged",
  );
});

Deno.test("fitStep: short tool results stay whole and long ones share the rest", () => {
  const long = result("l".repeat(4_000));
  const messages = [user(30), called, result("short"), called, long, called, long];
  const fitted = fit(messages, { bytes: 2_400, question: 0 });
  assertEquals(fitted.truncated, 2);
  assertEquals(fitted.messages[2], result("short"));
  const [one, other] = [outputAt(fitted, 4), outputAt(fitted, 6)];
  assertEquals(one.length, other.length);
  assert(one.length > 1_000);
});

Deno.test("fitStep: each tool result shows a minimum of bytes", () => {
  const messages = [user(5_000), called, result("r".repeat(5_000))];
  const fitted = fit(messages, { bytes: 300, question: 0 });
  const truncated = outputAt(fitted, 2);
  assert(truncated.length > 190 && truncated.length <= 200, truncated);
});

Deno.test("fitStep: without a context window everything fits", () => {
  const messages = [user(5_000_000)];
  const fitted = fitStep(messages, { overheadBytes: 2, question: 0 });
  assertEquals([fitted.messages, fitted.dropped], [messages, 0]);
});

Deno.test("fitTools: tools too large for the context window are omitted by name", () => {
  const tools = [tool("a", 100), tool("large", 5_000), tool("b", 100)];
  const prompt = { system: "Be helpful.", messages: [user(9_000), user(30)], tools };
  const window = { contextTokens: 500, maxOutputTokens: 100 };
  const fitted = fitTools({ ...prompt, contextWindow: window });
  assertEquals(fitted.tools.map(({ name }) => name), ["a", "b"]);
  assertEquals(fitted.omitted, ["large"]);
  assertEquals(fitted.overheadBytes, "Be helpful.".length + JSON.stringify(fitted.tools).length);
  const whole = "Be helpful.".length + JSON.stringify(tools).length;
  assertEquals(fitTools(prompt), { tools, omitted: [], overheadBytes: whole });
  assertEquals(
    fitTools({ ...prompt, contextWindow: { ...window, contextTokens: 9_000 } }).omitted,
    [],
  );
});

Deno.test("shrinkStep: cuts results until the JSON of the step has at most that many tokens", () => {
  const messages: ModelMessage[] = [
    { role: "user", content: "old" },
    { role: "assistant", content: "older" },
    { role: "user", content: "hi" },
    { role: "assistant", content: "", toolCalls: [{ id: "c", name: "look_up", args: "{}" }] },
    { role: "tool", callId: "c", name: "look_up", output: '"\n"'.repeat(5_000) },
  ];
  for (const tokens of [2_000, 5_000, 20_000]) {
    const step = shrinkStep(messages, { tokens, overheadBytes: 500, question: 2 })!;
    assert(step.inputTokens <= tokens && step.inputTokens > tokens * 0.6, `${step.inputTokens}`);
    assertEquals([step.dropped, step.truncated], [2, 1]);
  }
  assertEquals(shrinkStep(messages, { tokens: 600, overheadBytes: 500, question: 2 }), undefined);
  assertEquals(shrinkStep(messages, { tokens: 100, overheadBytes: 500, question: 2 }), undefined);
});

Deno.test("fitMessages: with keepsHead, a growing conversation begins the same for several turns", () => {
  const turn = (n: number): ModelMessage[] => [
    { role: "user", content: `question ${n}`.padEnd(100, "?") },
    { role: "assistant", content: `answer ${n}`.padEnd(100, "!") },
  ];
  const starts = (keepsHead: boolean) =>
    Array.from({ length: 40 }, (_, n) => {
      const messages = Array.from({ length: n + 1 }, (_, n) => turn(n)).flat().slice(0, -1);
      const question = messages.length - 1;
      const fitted = fitMessages(messages, { bytes: 2_050, question, keepsHead });
      const bytes = fitted.messages.length * 100;
      assert(bytes <= 2_050, `${bytes}`);
      assertEquals(fitted.messages[0]?.role, "user");
      return fitted.dropped;
    });
  const changes = (all: number[]) => all.filter((start, n) => n > 0 && start !== all[n - 1]).length;
  assertEquals(changes(starts(false)), 30);
  assertEquals(changes(starts(true)), 12);
  // Never more than a quarter of the room beyond what must be dropped, and the rest of a turn.
  const [loose, steady] = [starts(false), starts(true)];
  steady.forEach((start, n) => assert(start >= loose[n]! && start <= loose[n]! + 8));
});
