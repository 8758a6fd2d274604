import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Protocol } from "@/lib/schemas/connection_config.ts";
import { brokenRule } from "./request_rules.ts";

const marked = { type: "text", text: "x", cache_control: { type: "ephemeral" } };
const user = (content: unknown[]) => ({ role: "user", content });
const open = { type: "object", properties: { a: {} }, required: [] };

const BROKEN: [Protocol, unknown, string][] = [
  ["anthropic", { messages: [user(Array(5).fill(marked))] }, "maximum of 4 blocks"],
  [
    "anthropic",
    { max_tokens: 2_000, thinking: { type: "enabled", budget_tokens: 2_000 }, messages: [] },
    "must be greater than `thinking.budget_tokens`",
  ],
  [
    "anthropic",
    { max_tokens: 2_000, thinking: { type: "enabled", budget_tokens: 1_023 }, messages: [] },
    "greater than or equal to 1024",
  ],
  ["anthropic", { thinking: { type: "adaptive" }, temperature: 0.2, messages: [] }, "set to 1"],
  ["anthropic", { stop_sequences: [" "], messages: [] }, "non-whitespace"],
  [
    "anthropic",
    { messages: [{ role: "assistant", content: [{ type: "tool_use", id: "a" }] }, user([])] },
    "without `tool_result`",
  ],
  ["openai", { stop: Array(5).fill("x") }, "array too long"],
  [
    "openai",
    { response_format: { json_schema: { strict: true, schema: open } } },
    "Invalid schema for response_format",
  ],
  ["openai", { messages: [{ tool_calls: [{ id: "a" }] }, { role: "user" }] }, "tool messages"],
  [
    "google",
    { generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: "low" } } },
    "only one of thinking budget",
  ],
  [
    "google",
    {
      generationConfig: {},
      contents: [{ parts: [{ functionCall: {} }, { functionCall: {} }] }, {
        parts: [{ functionResponse: {} }],
      }],
    },
    "number of function response parts",
  ],
];

for (const [protocol, body, words] of BROKEN) {
  Deno.test(`brokenRule: ${protocol} rejects a request: ${words}`, () => {
    assertStringIncludes(brokenRule({ protocol, model: "m", body }) ?? "", words);
  });
}

Deno.test("brokenRule: a request within the rules is accepted", () => {
  const body = {
    max_tokens: 2_000,
    thinking: { type: "enabled", budget_tokens: 1_999 },
    messages: [user(Array(4).fill(marked))],
  };
  assertEquals(brokenRule({ protocol: "anthropic", model: "m", body }), undefined);
});
