import { assert, assertEquals, assertMatch } from "@std/assert";
import type { ModelMessage } from "../providers/model.ts";
import { fitRunTools, fitStep } from "./fit_step.ts";

const user = (length: number): ModelMessage => ({ role: "user", content: "u".repeat(length) });
const said = (length: number): ModelMessage => ({ role: "assistant", content: "a".repeat(length) });
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

/** What of `messages` a model with room for about `bytes` is told; the last at `question` is asked. */
function fit(messages: ModelMessage[], { bytes, question }: { bytes: number; question: number }) {
  const room = { contextTokens: Math.floor(bytes / 3) + 10, maxOutputTokens: 10 };
  return fitStep({ around: 2, messages, contextWindow: room }, question);
}

function outputAt(told: { messages: readonly ModelMessage[] }, n: number): string {
  const message = told.messages[n];
  assert(message?.role === "tool");
  return String(message.output);
}

Deno.test("fitStep: what fits is told as it is, however it is escaped", () => {
  const messages = [user(10), { role: "user" as const, content: "\n".repeat(300) }];
  const told = fit(messages, { bytes: 330, question: 1 });
  assertEquals([told.messages, told.dropped, told.truncated], [messages, 0, 0]);
});

Deno.test("fitStep: a result that is too much beside the conversation drops its oldest turns", () => {
  const messages = [
    user(300),
    said(300),
    user(300),
    said(300),
    user(30),
    called,
    result("r".repeat(600)),
  ];
  const told = fit(messages, { bytes: 1_300, question: 4 });
  assertEquals([told.dropped, told.truncated], [2, 0]);
  assertEquals(told.messages, messages.slice(2));
  assert(told.inputTokens < 1_700);
});

Deno.test("fitStep: what a turn and its calls carry for their vendor takes room", () => {
  const calls = { id: "1", name: "x", args: "{}", providerMetadata: "o".repeat(300) };
  const carries = {
    ...called,
    toolCalls: [calls],
    providerMetadata: "o".repeat(300),
  } as ModelMessage;
  const messages = [user(300), said(300), user(30), carries, result("r".repeat(100))];
  assertEquals(fit(messages, { bytes: 1_600, question: 2 }).dropped, 0);
  assertEquals(fit(messages, { bytes: 1_100, question: 2 }).dropped, 2);
});

Deno.test("fitStep: a result that does not fit even alone is cut, and says so", () => {
  const messages = [user(300), said(9), user(30), called, result({ text: "é".repeat(5_000) })];
  const told = fit(messages, { bytes: 1_000, question: 2 });
  assertEquals([told.dropped, told.truncated, told.messages.length], [2, 1, 3]);
  const cut = outputAt(told, 2);
  assertMatch(cut, /^\{"text":"é+\n\[cut: the first \d+ of 10011 bytes; the rest does not/);
  assert(new TextEncoder().encode(cut).length <= 970);
  assertEquals(messages[4], result({ text: "é".repeat(5_000) }), "what was answered stays");
});

Deno.test("fitStep: short results stay whole, long ones share what is left", () => {
  const long = result("l".repeat(4_000));
  const messages = [user(30), called, result("short"), called, long, called, long];
  const told = fit(messages, { bytes: 2_400, question: 0 });
  assertEquals(told.truncated, 2);
  assertEquals(told.messages[2], result("short"));
  const [one, other] = [outputAt(told, 4), outputAt(told, 6)];
  assertEquals(one.length, other.length);
  assert(one.length > 1_000);
});

Deno.test("fitStep: however little room there is, of each result something is shown", () => {
  const messages = [user(5_000), called, result("r".repeat(5_000))];
  const told = fit(messages, { bytes: 300, question: 0 });
  const cut = outputAt(told, 2);
  assert(cut.length > 190 && cut.length <= 200, cut);
});

Deno.test("fitStep: without a known room everything is told", () => {
  const messages = [user(5_000_000)];
  const told = fitStep({ around: 2, messages }, 0);
  assertEquals([told.messages, told.dropped], [messages, 0]);
});

Deno.test("fitRunTools: tools that do not fit beside the question are left out by name, small ones stay", () => {
  const tools = [tool("a", 100), tool("large", 5_000), tool("b", 100)];
  const prompt = { system: "Be helpful.", messages: [user(9_000), user(30)], tools };
  const room = { contextTokens: 500, maxOutputTokens: 100 };
  const fitted = fitRunTools({ ...prompt, contextWindow: room });
  assertEquals(fitted.tools.map(({ name }) => name), ["a", "b"]);
  assertEquals(fitted.leftOut, ["large"]);
  assertEquals(fitted.overheadBytes, "Be helpful.".length + JSON.stringify(fitted.tools).length);
  const whole = "Be helpful.".length + JSON.stringify(tools).length;
  assertEquals(fitRunTools(prompt), { tools, leftOut: [], overheadBytes: whole });
  assertEquals(
    fitRunTools({ ...prompt, contextWindow: { ...room, contextTokens: 9_000 } }).leftOut,
    [],
  );
});
