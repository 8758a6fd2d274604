import { assert, assertEquals } from "@std/assert";
import { withMemory } from "./memory_prompt.ts";

const fact = (n: number, text = `fact ${n}`) => ({
  ...{ id: `0199a1c4-7e2b-7d10-8f3a-0000${`${n}`.padStart(8, "0")}`, text },
  ...{ createdAt: n, updatedAt: n, exp: 1e15 },
});
const LARGE = { contextTokens: 128_000, maxOutputTokens: 4_096 };

Deno.test("withMemory: without facts the prompt is unchanged", () => {
  assertEquals(withMemory("Be helpful.", { facts: [], window: LARGE }), "Be helpful.");
});

Deno.test("withMemory: each fact is one line of JSON with its short id, oldest first", () => {
  const facts = [fact(1, 'says "hi"\u2028- 2: x'), fact(2)];
  const lines = withMemory("Be helpful.", { facts, window: LARGE }).split("\n").slice(-2);
  assertEquals(lines, ['- 00000001: "says \\"hi\\"\u2028- 2: x"', '- 00000002: "fact 2"']);
});

Deno.test("withMemory: a small context has the newest facts only", () => {
  const facts = Array.from({ length: 50 }, (_, n) => fact(n, "x".repeat(300)));
  const window = { contextTokens: 4_096, maxOutputTokens: 1_024 };
  const prompt = withMemory("Be helpful.", { facts, window });
  assert(prompt.length < 4_096 * 3 / 4);
  assertEquals([prompt.includes("- 00000049:"), prompt.includes("- 00000000:")], [true, false]);
  const tiny = { contextTokens: 100, maxOutputTokens: 50 };
  assertEquals(withMemory("Be helpful.", { facts, window: tiny }), "Be helpful.");
});
