import { assert, assertEquals } from "@std/assert";
import { call, end, FakeModel, text, usage } from "@/tests/support/fake_model.ts";
import { type Model, ModelError } from "../models/model.ts";
import {
  type AgentEvent,
  type AgentOutcome,
  type AgentRunOptions,
  runAgent,
  type StepGrant,
} from "./run_agent.ts";

const TOOL = { name: "look_up", description: "Looks up.", parameters: { type: "object" } };
const down = new ModelError("provider_error", "the vendor is down");

const candidate = (client: Model, model = "m") => ({
  provider: "vendor_a" as const,
  model,
  client,
});

/** Runs the loop to its end on `models`, the first the agent's choice, the others its fallback. */
async function run(models: Model[], change: Partial<AgentRunOptions> = {}) {
  const events: AgentEvent[] = [];
  const executed: unknown[][] = [];
  const loop = runAgent({
    candidates: models.map((client, n) => candidate(client, `m${n}`)),
    system: "Be helpful.",
    messages: [{ role: "user", content: "hi" }],
    tools: [TOOL],
    executeTool: (name, args) => {
      executed.push([name, args]);
      return Promise.resolve({ found: 1 });
    },
    allow: () => Promise.resolve({ outputTokens: () => 100 }),
    maxSteps: 3,
    signal: new AbortController().signal,
    ...change,
  });
  let failed: unknown;
  let outcome: AgentOutcome | undefined;
  try {
    for (let next = await loop.next(); outcome === undefined; next = await loop.next()) {
      if (next.done) outcome = next.value;
      else events.push(next.value);
    }
  } catch (error) {
    failed = error;
  }
  return { events, outcome, executed, failed };
}

Deno.test("runAgent: a plain answer is accepted, text, usage, and ends with the model's reason", async () => {
  for (const reason of ["stop", "length", "content_filter"] as const) {
    const { events, outcome } = await run([new FakeModel([text("Hi"), usage(3, 1), end(reason)])]);
    assertEquals(events, [
      { type: "step", n: 1, provider: "vendor_a", model: "m0" },
      { type: "text", text: "Hi" },
      { type: "usage", provider: "vendor_a", model: "m0", inputTokens: 3, outputTokens: 1 },
    ]);
    assertEquals(outcome, { finishReason: reason });
  }
});

Deno.test("runAgent: the model is asked with prompt, messages, tools and limits", async () => {
  const model = new FakeModel([end()]);
  await run([model], { temperature: 0.5 });
  const { signal: _, billed: _b, again: _a, inputBound: bound = 0, ...request } = model
    .requests[0]!;
  assert(bound > "Be helpful.hi".length);
  assertEquals(request, {
    model: "m0",
    system: "Be helpful.",
    messages: [{ role: "user", content: "hi" }],
    tools: [TOOL],
    temperature: 0.5,
    maxOutputTokens: 100,
  });
});

Deno.test("runAgent: a refusal before the first byte falls back to the next model", async () => {
  const spare = new FakeModel([text("Hi"), end()]);
  const { events, outcome } = await run([new FakeModel(down), spare]);
  assertEquals(events[0], { type: "step", n: 1, provider: "vendor_a", model: "m1" });
  assertEquals(spare.requests[0]?.model, "m1");
  assertEquals(outcome, { finishReason: "stop" });
});

Deno.test("runAgent: what a refused attempt was billed is no longer there for the next model", async () => {
  const refused: Model = {
    stream: async ({ billed, again }) => {
      billed?.({ inputTokens: 5, outputTokens: 0 });
      assertEquals(await again?.(), 60);
      billed?.({ inputTokens: 5, outputTokens: 0 });
      throw down;
    },
  };
  const grants = [100, 60, 20];
  const told: unknown[] = [];
  const spare = new FakeModel([end()]);
  await run([refused, spare], {
    allow: () => {
      const granted = grants.shift() ?? 0;
      return Promise.resolve({ outputTokens: () => granted });
    },
    billed: ({ model }, usage) => told.push([model, usage.inputTokens]),
  });
  assertEquals(told, [["m0", 5], ["m0", 5]]);
  assertEquals(spare.requests[0]?.maxOutputTokens, 20);
});

Deno.test("runAgent: a fallback that nothing is left for is not asked", async () => {
  const refused: Model = {
    stream: ({ billed }) => {
      billed?.({ inputTokens: 5, outputTokens: 0 });
      return Promise.reject(down);
    },
  };
  const grants: StepGrant[] = [{ outputTokens: () => 100 }, {
    ended: { finishReason: "max_cost" },
  }];
  const spare = new FakeModel([end()]);
  const { failed } = await run([refused, spare], { allow: () => Promise.resolve(grants.shift()!) });
  assertEquals([failed, spare.requests], [down, []]);
});

Deno.test("runAgent: a busy model is waited for at length only when nobody else can be asked", async () => {
  const [first, last] = [new FakeModel(down), new FakeModel([end()])];
  await run([first, last]);
  assertEquals([first, last].map((model) => model.requests[0]?.longestWaitMs), [1_000, undefined]);
});

Deno.test("runAgent: once text has come there is no fallback", async () => {
  const spare = new FakeModel([end()]);
  const { events, failed } = await run([new FakeModel([text("Hel"), down]), spare]);
  assertEquals(failed, down);
  assertEquals(events.map((event) => event.type), ["step", "text"]);
  assertEquals(spare.requests, []);
});

Deno.test("runAgent: when nobody accepts, the last refusal is thrown", async () => {
  const busy = new ModelError("provider_rate_limited", "busy");
  assertEquals((await run([new FakeModel(down), new FakeModel(busy)])).failed, busy);
});

Deno.test("runAgent: without a candidate it fails as a vendor would", async () => {
  const { failed } = await run([]);
  assertEquals((failed as ModelError).code, "provider_error");
});

Deno.test("runAgent: a fault of ours is thrown at once and asks no other model", async () => {
  const spare = new FakeModel([end()]);
  const bug = new TypeError("bug");
  assertEquals((await run([new FakeModel(bug), spare])).failed, bug);
  assertEquals(spare.requests, []);
});

Deno.test("runAgent: a tool's call and result are told, and the model sees both", async () => {
  const model = new FakeModel(
    [text("Let me look."), call("look_up", '{"q":"x"}'), end("tool_calls")],
    [text("Found."), end()],
  );
  const { events, outcome, executed } = await run([model]);
  assertEquals(executed, [["look_up", { q: "x" }]]);
  assertEquals(events.slice(2, 4), [
    { type: "tool_call", name: "look_up", args: { q: "x" } },
    { type: "tool_result", name: "look_up", output: { found: 1 } },
  ]);
  assertEquals(model.requests[1]?.messages.slice(1), [
    {
      role: "assistant",
      content: "Let me look.",
      toolCalls: [{ id: "call_look_up", name: "look_up", args: '{"q":"x"}' }],
    },
    { role: "tool", callId: "call_look_up", name: "look_up", output: { found: 1 } },
  ]);
  assertEquals(outcome, { finishReason: "stop" });
});

Deno.test("runAgent: whoever answered the first step answers the rest", async () => {
  const primary = new FakeModel(down, [text("back again"), end()]);
  const spare = new FakeModel([call("look_up"), end("tool_calls")], [end()]);
  const { events } = await run([primary, spare]);
  assertEquals([primary.requests.length, spare.requests.length], [1, 2]);
  assertEquals(events.filter((event) => event.type === "step").length, 2);
});

Deno.test("runAgent: a later step falls back too, as long as nothing was said", async () => {
  const later = (first: unknown[]) => {
    const primary = new FakeModel(first as never, down);
    return [primary, new FakeModel([text("Here."), end()])] as const;
  };
  const silent = later([call("look_up"), end("tool_calls")]);
  assertEquals((await run([...silent])).outcome, { finishReason: "stop" });
  const talking = later([text("Well,"), call("look_up"), end("tool_calls")]);
  assertEquals((await run([...talking])).failed, down);
  assertEquals(talking[1].requests, []);
});

Deno.test("runAgent: before each step it is asked what the step may write, and ends when nothing pays", async () => {
  const model = new FakeModel([call("look_up"), end("tool_calls")], [end()]);
  const asked: number[] = [];
  const ended = { finishReason: "max_cost" } as const;
  const { outcome } = await run([model], {
    allow: ({ inputTokens }) => {
      asked.push(inputTokens);
      return Promise.resolve(asked.length === 1 ? { outputTokens: () => 7 } : { ended });
    },
  });
  assertEquals(outcome, ended);
  assertEquals(model.requests.map((one) => one.maxOutputTokens), [7]);
  assertEquals(asked[1]! > asked[0]!, true);
});

Deno.test("runAgent: several calls of one step are carried out one after the other", async () => {
  const model = new FakeModel(
    [call("look_up", '{"n":1}', "a"), call("look_up", '{"n":2}', "b"), end("tool_calls")],
    [end()],
  );
  const { events } = await run([model]);
  assertEquals(events.map((event) => event.type), [
    "step",
    "tool_call",
    "tool_result",
    "tool_call",
    "tool_result",
    "step",
  ]);
});

Deno.test("runAgent: a call without arguments is one with none", async () => {
  const { executed } = await run([
    new FakeModel([call("look_up", ""), end("tool_calls")], [end()]),
  ]);
  assertEquals(executed, [["look_up", {}]]);
});

for (const name of ["missing", "constructor", "__proto__", "toString"]) {
  Deno.test(`runAgent: a tool named ${name} is tool_unknown and the run goes on`, async () => {
    const model = new FakeModel([call(name), end("tool_calls")], [text("Sorry."), end()]);
    const { events, outcome, executed } = await run([model]);
    assertEquals(executed, []);
    const result = events.find((event) => event.type === "tool_result");
    const error = { code: "tool_unknown", message: `there is no tool named ${name}` };
    assertEquals(result?.output, { error });
    assertEquals(outcome, { finishReason: "stop" });
  });
}

for (const args of ["{", "[1]", "null", '"text"', "7"]) {
  Deno.test(`runAgent: arguments ${args} never reach a tool`, async () => {
    const model = new FakeModel([call("look_up", args), end("tool_calls")], [end()]);
    const { events, executed } = await run([model]);
    assertEquals(executed, []);
    assertEquals(events.slice(1, 3), [
      { type: "tool_call", name: "look_up", args },
      {
        type: "tool_result",
        name: "look_up",
        output: {
          error: {
            code: "tool_invalid_arguments",
            message: "the arguments are not a JSON object, or nested too deeply",
          },
        },
      },
    ]);
  });
}

Deno.test("runAgent: a model that calls for ever ends at max_steps, with budget_exceeded", async () => {
  const again = [call("look_up"), end("tool_calls")];
  const model = new FakeModel(again, again, again);
  const { outcome } = await run([model]);
  assertEquals(model.requests.length, 3);
  assertEquals(outcome?.finishReason, "max_steps");
  assertEquals(outcome?.error?.code, "budget_exceeded");
});

Deno.test("runAgent: a run stopped while a tool works asks no further step", async () => {
  const stop = new AbortController();
  const model = new FakeModel([call("look_up"), end("tool_calls")], [end()]);
  const executeTool = () => {
    stop.abort(new Error("stopped"));
    return Promise.resolve("late");
  };
  const { failed } = await run([model], { executeTool, signal: stop.signal });
  assertEquals((failed as Error).message, "stopped");
  assertEquals(model.requests.length, 1);
});

Deno.test("runAgent: the tool gets the run's own signal", async () => {
  const { signal } = new AbortController();
  let given: AbortSignal | undefined;
  const executeTool = (_name: string, _args: unknown, toolSignal: AbortSignal) => {
    given = toolSignal;
    return Promise.resolve(null);
  };
  const model = new FakeModel([call("look_up"), end("tool_calls")], [end()]);
  await run([model], { executeTool, signal });
  assertEquals(given, signal);
});

Deno.test("runAgent: the caller's messages are not touched", async () => {
  const messages = Object.freeze([{ role: "user" as const, content: "hi" }]);
  const model = new FakeModel([call("look_up"), end("tool_calls")], [end()]);
  const { failed } = await run([model], { messages });
  assertEquals(failed, undefined);
});

Deno.test("runAgent: leaving early closes the model's stream", async () => {
  let closed = false;
  async function* endless() {
    try {
      while (true) yield await Promise.resolve(text("x"));
    } finally {
      closed = true;
    }
  }
  const model: Model = { stream: () => Promise.resolve(endless()) };
  const loop = runAgent({
    candidates: [candidate(model)],
    system: "s",
    messages: [],
    tools: [],
    executeTool: () => Promise.reject(new Error("no tool")),
    allow: () => Promise.resolve({ outputTokens: () => 1 }),
    maxSteps: 1,
    signal: new AbortController().signal,
  });
  await loop.next();
  await loop.next();
  await loop.return({ finishReason: "cancelled" });
  assertEquals(closed, true);
});

Deno.test("runAgent: a run stopped while a tool works makes no further call", async () => {
  const stop = new AbortController();
  const model = new FakeModel([call("look_up"), call("look_up"), end("tool_calls")]);
  const executeTool = () => {
    stop.abort(new Error("stopped"));
    return Promise.resolve("late");
  };
  const { events } = await run([model], { executeTool, signal: stop.signal });
  assertEquals(events.map(({ type }) => type), ["step", "tool_call", "tool_result"]);
});

Deno.test("runAgent: what a call carries for its vendor goes to nobody else", async () => {
  const signed = { id: "c1", name: "look_up", args: "{}", opaque: "signature" };
  const calls = [{ type: "tool_call", call: signed } as const, end("tool_calls")];
  const primary = new FakeModel(calls, down);
  const spare = new FakeModel([call("look_up"), end("tool_calls")], [end()]);
  await run([primary, spare]);
  const seen = (model: FakeModel) => model.requests.map((one) => JSON.stringify(one.messages));
  assertEquals(seen(primary).map((text) => text.includes("signature")), [false, true]);
  assertEquals(seen(spare).map((text) => text.includes("signature")), [false, false]);
});

Deno.test("runAgent: a name no vendor accepts is told as one that all do", async () => {
  for (const name of ["multi_tool_use.parallel", "größe", "1st", "a".repeat(500)]) {
    const model = new FakeModel([call(name), end("tool_calls")], [end()]);
    const { events, outcome } = await run([model]);
    assertEquals(events[1], { type: "tool_call", name, args: {} });
    const [, asked, answered] = model.requests[1]!.messages;
    const told = asked?.role === "assistant" ? asked.toolCalls?.[0]?.name : undefined;
    assert(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(told ?? ""), told);
    assertEquals(answered?.role === "tool" && answered.name, told);
    assertEquals(outcome, { finishReason: "stop" });
  }
});

Deno.test("runAgent: a fallback that cannot be paid is not asked", async () => {
  const spare = new FakeModel([end()]);
  const primary = new FakeModel(down);
  const { failed } = await run([primary, spare], {
    allow: () => Promise.resolve({ outputTokens: ({ model }) => model === "m0" ? 10 : 0 }),
  });
  assertEquals([failed, spare.requests], [down, []]);
  assertEquals(primary.requests[0]?.longestWaitMs, undefined);
});
