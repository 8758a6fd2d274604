import { assert, assertEquals } from "@std/assert";
import { candidate, down, runLoop, TOOL } from "@/tests/support/agent_runs.ts";
import { call, end, FakeModel, text, usage } from "@/tests/support/fake_model.ts";
import { type Model, ModelError } from "../providers/model.ts";
import { runAgent, type StepGrant } from "./run_agent.ts";

Deno.test("runAgent: a plain answer is accepted, text, usage, and ends with the model's reason", async () => {
  for (const reason of ["stop", "length", "content_filter"] as const) {
    const { events, outcome } = await runLoop([
      new FakeModel([text("Hi"), usage(3, 1), end(reason)]),
    ]);
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
  await runLoop([model], { temperature: 0.5 });
  const { signal: _, onUsage: _b, authorizeRetry: _a, maxInputTokens: bound = 0, ...request } =
    model
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
  const { events, outcome } = await runLoop([new FakeModel(down), spare]);
  assertEquals(events[0], { type: "step", n: 1, provider: "vendor_a", model: "m1" });
  assertEquals(spare.requests[0]?.model, "m1");
  assertEquals(outcome, { finishReason: "stop" });
});

Deno.test("runAgent: what a refused attempt was billed is no longer there for the next model", async () => {
  const refused: Model = {
    stream: async ({ onUsage, authorizeRetry }) => {
      onUsage?.({ inputTokens: 5, outputTokens: 0 });
      assertEquals(await authorizeRetry?.(), 60);
      onUsage?.({ inputTokens: 5, outputTokens: 0 });
      throw down;
    },
  };
  const grants = [100, 60, 20];
  const told: unknown[] = [];
  const spare = new FakeModel([end()]);
  await runLoop([refused, spare], {
    authorizeStep: () => {
      const granted = grants.shift() ?? 0;
      return Promise.resolve({ outputTokens: () => granted });
    },
    onUsage: ({ model }, usage) => told.push([model, usage.inputTokens]),
  });
  assertEquals(told, [["m0", 5], ["m0", 5]]);
  assertEquals(spare.requests[0]?.maxOutputTokens, 20);
});

Deno.test("runAgent: what does not pay the same model once more may pay the next", async () => {
  const dear: Model = {
    stream: async ({ onUsage, authorizeRetry }) => {
      onUsage?.({ inputTokens: 5, outputTokens: 0 });
      assertEquals(await authorizeRetry?.(), 0);
      throw down;
    },
  };
  const grants: StepGrant[] = [
    { outputTokens: () => 100 },
    { ended: { finishReason: "max_cost" } },
    { outputTokens: () => 20 },
  ];
  const spare = new FakeModel([end()]);
  const { outcome } = await runLoop([dear, spare], {
    authorizeStep: () => Promise.resolve(grants.shift()!),
  });
  assertEquals([outcome?.finishReason, spare.requests[0]?.maxOutputTokens], ["stop", 20]);
});

Deno.test("runAgent: a fallback that nothing is left for is not asked", async () => {
  const refused: Model = {
    stream: ({ onUsage }) => {
      onUsage?.({ inputTokens: 5, outputTokens: 0 });
      return Promise.reject(down);
    },
  };
  const grants: StepGrant[] = [{ outputTokens: () => 100 }, {
    ended: { finishReason: "max_cost" },
  }];
  const spare = new FakeModel([end()]);
  const { failed } = await runLoop([refused, spare], {
    authorizeStep: () => Promise.resolve(grants.shift()!),
  });
  assertEquals([failed, spare.requests], [down, []]);
});

Deno.test("runAgent: a busy model is waited for at length only when nobody else can be asked", async () => {
  const [first, last] = [new FakeModel(down), new FakeModel([end()])];
  await runLoop([first, last]);
  assertEquals([first, last].map((model) => model.requests[0]?.maxRetryWaitMs), [1_000, undefined]);
});

Deno.test("runAgent: once text has come there is no fallback", async () => {
  const spare = new FakeModel([end()]);
  const { events, failed } = await runLoop([new FakeModel([text("Hel"), down]), spare]);
  assertEquals(failed, down);
  assertEquals(events.map((event) => event.type), ["step", "text"]);
  assertEquals(spare.requests, []);
});

Deno.test("runAgent: when nobody accepts, the last refusal is thrown", async () => {
  const busy = new ModelError("provider_rate_limited", "busy");
  assertEquals((await runLoop([new FakeModel(down), new FakeModel(busy)])).failed, busy);
});

Deno.test("runAgent: without a candidate it fails as a vendor would", async () => {
  const { failed } = await runLoop([]);
  assertEquals((failed as ModelError).code, "provider_error");
});

Deno.test("runAgent: a fault of ours is thrown at once and asks no other model", async () => {
  const spare = new FakeModel([end()]);
  const bug = new TypeError("bug");
  assertEquals((await runLoop([new FakeModel(bug), spare])).failed, bug);
  assertEquals(spare.requests, []);
});

Deno.test("runAgent: whoever answered the first step answers the rest", async () => {
  const primary = new FakeModel(down, [text("back again"), end()]);
  const spare = new FakeModel([call("look_up"), end("tool_calls")], [end()]);
  const { events } = await runLoop([primary, spare]);
  assertEquals([primary.requests.length, spare.requests.length], [1, 2]);
  assertEquals(events.filter((event) => event.type === "step").length, 2);
});

Deno.test("runAgent: a later step falls back too, as long as nothing was said", async () => {
  const later = (first: unknown[]) => {
    const primary = new FakeModel(first as never, down);
    return [primary, new FakeModel([text("Here."), end()])] as const;
  };
  const silent = later([call("look_up"), end("tool_calls")]);
  assertEquals((await runLoop([...silent])).outcome, { finishReason: "stop" });
  const talking = later([text("Well,"), call("look_up"), end("tool_calls")]);
  assertEquals((await runLoop([...talking])).failed, down);
  assertEquals(talking[1].requests, []);
});

Deno.test("runAgent: before each step it is asked what the step may write, and ends when nothing pays", async () => {
  const model = new FakeModel([call("look_up"), end("tool_calls")], [end()]);
  const asked: number[] = [];
  const ended = { finishReason: "max_cost" } as const;
  const { outcome } = await runLoop([model], {
    authorizeStep: ({ inputTokens }) => {
      asked.push(inputTokens);
      return Promise.resolve(asked.length === 1 ? { outputTokens: () => 7 } : { ended });
    },
  });
  assertEquals(outcome, ended);
  assertEquals(model.requests.map((one) => one.maxOutputTokens), [7]);
  assertEquals(asked[1]! > asked[0]!, true);
});

Deno.test("runAgent: the caller's messages are not touched", async () => {
  const messages = Object.freeze([{ role: "user" as const, content: "hi" }]);
  const model = new FakeModel([call("look_up"), end("tool_calls")], [end()]);
  const { failed } = await runLoop([model], { messages });
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
    authorizeStep: () => Promise.resolve({ outputTokens: () => 1 }),
    maxSteps: 1,
    signal: new AbortController().signal,
  });
  await loop.next();
  await loop.next();
  await loop.return({ finishReason: "cancelled" });
  assertEquals(closed, true);
});

Deno.test("runAgent: a fallback that cannot be paid is not asked", async () => {
  const spare = new FakeModel([end()]);
  const primary = new FakeModel(down);
  const { failed } = await runLoop([primary, spare], {
    authorizeStep: () => Promise.resolve({ outputTokens: ({ model }) => model === "m0" ? 10 : 0 }),
  });
  assertEquals([failed, spare.requests], [down, []]);
  assertEquals(primary.requests[0]?.maxRetryWaitMs, undefined);
});
