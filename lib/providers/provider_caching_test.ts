/** What is marked for a provider's cache, and what stays the same from step to step. */
import { assert, assertEquals } from "@std/assert";
import { ProviderConnections, user } from "@/tests/support/provider_connections.ts";
import type { ModelMessage, ModelRequest } from "./model.ts";

const LONG = "The shop opens at nine. ".repeat(200);
const TOOL = { name: "look_up", description: LONG, parameters: { type: "object" } };
const CALL: ModelMessage = {
  role: "assistant",
  content: "",
  toolCalls: [{ id: "toolu_1", name: "look_up", args: "{}" }],
};
const RESULT: ModelMessage = { role: "tool", callId: "toolu_1", name: "look_up", output: LONG };
const CACHING: Partial<ModelRequest> = { system: LONG, tools: [TOOL], cachesPrompt: true };

// deno-lint-ignore no-explicit-any -- a test looks into whatever was sent
type Body = any;

async function bodiesOf(changes: readonly Partial<ModelRequest>[]): Promise<Body[]> {
  await using vendors = await ProviderConnections.start();
  for (const change of changes) {
    const { error } = await vendors.ask("anthropic", {}, change);
    assertEquals(error, undefined);
  }
  return vendors.mock.requests.map(({ body }) => body);
}

/** Where a body has breakpoints. */
function breakpoints({ tools = [], system, messages }: Body): string[] {
  const isMarked = (block: Body) => block.cache_control?.type === "ephemeral";
  return [
    ...(tools.some(isMarked) ? ["tools"] : []),
    ...(Array.isArray(system) && system.some(isMarked) ? ["system"] : []),
    ...messages.flatMap(({ content }: Body, n: number) => content.some(isMarked) ? [`${n}`] : []),
  ];
}

Deno.test("anthropic: tools, system prompt, question and end of a long prompt are cached", async () => {
  const messages = [user("Hi"), user(LONG), CALL, RESULT];
  const [first, second] = await bodiesOf([
    { ...CACHING, messages: messages.slice(0, 2) },
    { ...CACHING, messages },
  ]);
  assertEquals(breakpoints(first), ["tools", "system", "0"]);
  assertEquals(breakpoints(second), ["tools", "system", "0", "2"]);
});

Deno.test("anthropic: of a run's last step, which no other continues, only the tools are cached", async () => {
  const messages = [user(LONG), CALL, RESULT];
  const [last] = await bodiesOf([{ ...CACHING, messages, toolChoice: "none" }]);
  assertEquals(breakpoints(last), ["tools"]);
});

Deno.test("anthropic: what an earlier step had cached is sent again byte for byte", async () => {
  const messages = [user(LONG), CALL, RESULT];
  const [first, second, third] = await bodiesOf([
    { ...CACHING, messages: messages.slice(0, 1) },
    { ...CACHING, messages },
    { ...CACHING, messages: [user(LONG), { role: "assistant", content: "At nine." }, user("Ok")] },
  ]);
  const head = ({ tools, system, messages }: Body) => JSON.stringify([tools, system, messages[0]]);
  assertEquals(head(second), head(first));
  const unmarked = (body: Body) => head(body).replaceAll(/,"cache_control":\{[^}]*\}/g, "");
  assertEquals(unmarked(third), unmarked(first));
});

Deno.test("anthropic: a prompt below the provider's minimum is not marked", async () => {
  const [short, small, haiku] = await bodiesOf([
    { cachesPrompt: true },
    { ...CACHING, tools: [], system: LONG.slice(0, 3_000) },
    { ...CACHING, tools: [], model: "claude-haiku-4-5", system: LONG },
  ]);
  assertEquals(breakpoints(short), []);
  assertEquals(short.system, "Be helpful.");
  assertEquals(breakpoints(small), []);
  assertEquals(breakpoints(haiku), []);
});

Deno.test("anthropic: without a price for writes, nothing is marked", async () => {
  const [body] = await bodiesOf([{ system: LONG, tools: [TOOL] }]);
  assertEquals(breakpoints(body), []);
});

Deno.test("anthropic: a server without caching is asked without it from then on", async () => {
  await using vendors = await ProviderConnections.start();
  const rejection = {
    status: 400,
    body: `{"error":{"message":"system.0.cache_control: Extra inputs are not permitted"}}`,
  };
  const { text } = await vendors.ask("anthropic", [rejection, {}], CACHING);
  assertEquals(text, "Hello there.");
  await vendors.ask("anthropic", {}, CACHING);
  assertEquals(vendors.mock.requests.map(({ body }) => breakpoints(body).length), [3, 0, 0]);
});

Deno.test("openai, google: prompts have no marks", async () => {
  await using vendors = await ProviderConnections.start();
  for (const protocol of ["openai", "google"] as const) {
    await vendors.ask(protocol, {}, CACHING);
    assert(!JSON.stringify(vendors.mock.requests.at(-1)!.body).includes("cache_control"));
  }
});
