import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { eventsOf, oneByOne } from "@/tests/support/model_events.ts";
import { DemoModel } from "./demo_model.ts";
import { ModelError, type ModelMessage, type ModelRequest } from "./model.ts";
import { ModelRegistry } from "./model_registry.ts";

const user = (content: string): ModelMessage => ({ role: "user", content });

function request(change: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "demo",
    system: "s",
    messages: [user("What is new?")],
    tools: [],
    maxOutputTokens: 4096,
    signal: new AbortController().signal,
    ...change,
  };
}

/** All that the demo model answers, its pauses being none. */
async function answer(change: Partial<ModelRequest> = {}) {
  const runtime = { ...new FakeRuntime(), sleep: () => Promise.resolve() };
  const events = await eventsOf(await new DemoModel(runtime).stream(request(change)));
  const said = events.map((event) => (event.type === "text" ? event.text : "")).join("");
  return { events, said };
}

Deno.test("DemoModel: introduces itself and quotes the question word by word", async () => {
  const { events, said } = await answer();
  assertMatch(said, /demo model/);
  assertStringIncludes(said, "“What is new?”");
  for (const event of events) if (event.type === "text") assertMatch(event.text, /^\S+\s*$/);
  assertEquals(events.at(-1), { type: "end", reason: "stop" });
  assertEquals(events.at(-2)?.type, "usage");
});

Deno.test("DemoModel: the same request gets the same answer", async () => {
  assertEquals(await answer(), await answer());
});

Deno.test("DemoModel: an output limit is exact and ends with length", async () => {
  const { events } = await answer({ maxOutputTokens: 3 });
  assertEquals(events.filter((event) => event.type === "text").length, 3);
  assertEquals(events.slice(-2).map((event) => event.type), ["usage", "end"]);
  assertEquals(events.at(-1), { type: "end", reason: "length" });
});

Deno.test("DemoModel: calls a tool on request, then quotes its output", async () => {
  const asked = user('Please use look_up with {"q": {"deep": 1}}');
  const { events } = await answer({ messages: [asked] });
  assertEquals(events[0], {
    type: "tool_call",
    call: { id: "demo_1", name: "look_up", args: '{"q": {"deep": 1}}' },
  });
  assertEquals(events.at(-1), { type: "end", reason: "tool_calls" });
  const result: ModelMessage = { role: "tool", callId: "demo_1", name: "look_up", output: [42] };
  const after = await answer({ messages: [asked, { role: "assistant", content: "" }, result] });
  assertEquals(after.said, "The tool look_up answered: [42]");
});

Deno.test("DemoModel: calls a tool as often as it is asked to, unless it has to finish", async () => {
  const messages: ModelMessage[] = [user("use look_up 2 times with {}")];
  const reasons: unknown[] = [];
  for (let n = 0; n < 3; n++) {
    const { events } = await answer({ messages });
    reasons.push(events.at(-1));
    messages.push({ role: "tool", callId: "c", name: "look_up", output: n });
  }
  assertEquals(
    reasons,
    ["tool_calls", "tool_calls", "stop"].map((reason) => {
      return { type: "end", reason };
    }),
  );
  const { said } = await answer({ messages: messages.slice(0, 2), toolChoice: "none" });
  assertMatch(said, /^My budget .* The tool look_up answered: 0$/);
});

Deno.test("DemoModel: searches the agent's knowledge base", async () => {
  const tools = [{ name: "search_knowledge", description: "d", parameters: {} }];
  const { events } = await answer({ tools });
  assertEquals(events[0], {
    type: "tool_call",
    call: { id: "demo_1", name: "search_knowledge", args: '{"query":"What is new?"}' },
  });
});

async function answerTo(output: unknown): Promise<string> {
  const found: ModelMessage = { role: "tool", callId: "demo_1", name: "search_knowledge", output };
  return (await answer({ messages: [user("Returns?"), found] })).said;
}

Deno.test("DemoModel: quotes the best passage and its source", async () => {
  const best = { title: "Handbook", headingPath: ["Sales", "Returns"], text: "In thirty days." };
  const said = await answerTo({ passages: [best, { ...best, text: "Never." }] });
  assertStringIncludes(said, "“In thirty days.”");
  assertStringIncludes(said, "Source: Handbook › Sales › Returns");
  assertEquals(said.includes("Never."), false);
});

Deno.test("DemoModel: reports an empty or failed search", async () => {
  assertMatch(await answerTo({ passages: [] }), /found nothing/);
  assertMatch(await answerTo({ error: { code: "tool_unreachable" } }), /tool_unreachable/);
});

Deno.test("DemoModel: an abort between two words throws the signal's reason", async () => {
  const stop = new AbortController();
  const runtime = new FakeRuntime();
  const next = oneByOne(await new DemoModel(runtime).stream(request({ signal: stop.signal })));
  await next();
  const second = next();
  stop.abort(new Error("stopped"));
  await assertRejects(() => second, Error, "stopped");
  assertEquals(runtime.sleeping, 0);
});

Deno.test("DemoModel: rejects an aborted request", async () => {
  const signal = AbortSignal.abort(new Error("stopped"));
  const asked = () => new DemoModel(new FakeRuntime()).stream(request({ signal }));
  await assertRejects(asked, Error, "stopped");
});

Deno.test("ModelRegistry: demo is always available, other models need a connection", async () => {
  const registry = new ModelRegistry(new FakeRuntime());
  assertEquals(registry.find("vendor_c", "demo"), registry.find("vendor_a", "demo"));
  const refused = () => registry.find("vendor_b", "large").stream(request());
  const error = await assertRejects(refused, ModelError);
  assertEquals(error.code, "provider_error");
});
