import { assert, assertEquals } from "@std/assert";
import { down, runLoop, TOOL } from "@/tests/support/agent_runs.ts";
import { call, end, FakeModel, text, usage } from "@/tests/support/fake_model.ts";
import { type Model, ModelError } from "../providers/model.ts";
import type { StepGrant } from "./agent_run_options.ts";

Deno.test("runAgent: a plain response yields step, text and usage, and ends with the model's reason", async () => {
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

Deno.test("runAgent: the request holds prompt, messages, tools and limits", async () => {
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

Deno.test("runAgent: an error before the first byte falls back to the next model", async () => {
  const spare = new FakeModel([text("Hi"), end()]);
  const { events, outcome } = await runLoop([new FakeModel(down), spare]);
  assertEquals(events[0], { type: "step", n: 1, provider: "vendor_a", model: "m1" });
  assertEquals(spare.requests[0]?.model, "m1");
  assertEquals(outcome, { finishReason: "stop" });
});

Deno.test("runAgent: a billed attempt reduces the budget of the next model", async () => {
  const failing: Model = {
    stream: async ({ onUsage, authorizeRetry }) => {
      onUsage?.({ inputTokens: 5, outputTokens: 0 });
      assertEquals(await authorizeRetry?.(), 60);
      onUsage?.({ inputTokens: 5, outputTokens: 0 });
      throw down;
    },
  };
  const grants = [100, 60, 20];
  const usages: unknown[] = [];
  const spare = new FakeModel([end()]);
  await runLoop([failing, spare], {
    authorizeStep: () => {
      const granted = grants.shift() ?? 0;
      return Promise.resolve({ outputTokens: () => granted });
    },
    onUsage: ({ model }, usage) => usages.push([model, usage.inputTokens]),
  });
  assertEquals(usages, [["m0", 5], ["m0", 5]]);
  assertEquals(spare.requests[0]?.maxOutputTokens, 20);
});

Deno.test("runAgent: a budget too small for a retry may cover the next model", async () => {
  const expensive: Model = {
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
  const { outcome } = await runLoop([expensive, spare], {
    authorizeStep: () => Promise.resolve(grants.shift()!),
  });
  assertEquals([outcome?.finishReason, spare.requests[0]?.maxOutputTokens], ["stop", 20]);
});

Deno.test("runAgent: a fallback is skipped once the budget is used up", async () => {
  const failing: Model = {
    stream: ({ onUsage }) => {
      onUsage?.({ inputTokens: 5, outputTokens: 0 });
      return Promise.reject(down);
    },
  };
  const grants: StepGrant[] = [{ outputTokens: () => 100 }, {
    ended: { finishReason: "max_cost" },
  }];
  const spare = new FakeModel([end()]);
  const { failed } = await runLoop([failing, spare], {
    authorizeStep: () => Promise.resolve(grants.shift()!),
  });
  assertEquals([failed, spare.requests], [down, []]);
});

Deno.test("runAgent: a busy model is retried after a long wait only without a fallback", async () => {
  const [first, last] = [new FakeModel(down), new FakeModel([end()])];
  await runLoop([first, last]);
  assertEquals([first, last].map((model) => model.requests[0]?.maxRetryWaitMs), [1_000, undefined]);
});

Deno.test("runAgent: after the first text there is no fallback", async () => {
  const spare = new FakeModel([end()]);
  const { events, failed } = await runLoop([new FakeModel([text("Hel"), down]), spare]);
  assertEquals(failed, down);
  assertEquals(events.map((event) => event.type), ["step", "text"]);
  assertEquals(spare.requests, []);
});

Deno.test("runAgent: if no model accepts, the last error is thrown", async () => {
  const busy = new ModelError("provider_rate_limited", "busy");
  assertEquals((await runLoop([new FakeModel(down), new FakeModel(busy)])).failed, busy);
});

Deno.test("runAgent: without a candidate it throws a provider error", async () => {
  const { failed } = await runLoop([]);
  assertEquals((failed as ModelError).code, "provider_error");
});

Deno.test("runAgent: an unexpected exception is thrown without a fallback", async () => {
  const spare = new FakeModel([end()]);
  const bug = new TypeError("bug");
  assertEquals((await runLoop([new FakeModel(bug), spare])).failed, bug);
  assertEquals(spare.requests, []);
});

Deno.test("runAgent: the model of the first step is tried first in later steps", async () => {
  const primary = new FakeModel(down, [text("back again"), end()]);
  const spare = new FakeModel([call("look_up"), end("tool_calls")], [end()]);
  const { events } = await runLoop([primary, spare]);
  assertEquals([primary.requests.length, spare.requests.length], [1, 2]);
  assertEquals(events.filter((event) => event.type === "step").length, 2);
});

Deno.test("runAgent: a later step falls back too, unless text was sent", async () => {
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

Deno.test("runAgent: each step is authorized, and a rejection ends the run", async () => {
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

Deno.test("runAgent: the caller's messages are not modified", async () => {
  const messages = Object.freeze([{ role: "user" as const, content: "hi" }]);
  const model = new FakeModel([call("look_up"), end("tool_calls")], [end()]);
  const { failed } = await runLoop([model], { messages });
  assertEquals(failed, undefined);
});

Deno.test("runAgent: an error of the receiver of the events is thrown", async () => {
  const bug = new TypeError("bug");
  const { failed } = await runLoop([new FakeModel([text("x"), end()])], {
    onEvent: () => {
      throw bug;
    },
  });
  assertEquals(failed, bug);
});

Deno.test("runAgent: an unaffordable fallback is skipped", async () => {
  const spare = new FakeModel([end()]);
  const primary = new FakeModel(down);
  const { failed } = await runLoop([primary, spare], {
    authorizeStep: () => Promise.resolve({ outputTokens: ({ model }) => model === "m0" ? 10 : 0 }),
  });
  assertEquals([failed, spare.requests], [down, []]);
  assertEquals(primary.requests[0]?.maxRetryWaitMs, undefined);
});
