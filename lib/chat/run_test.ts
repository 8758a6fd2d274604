import { assertEquals, assertFalse } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import type { AgentEvent, AgentOutcome } from "../agent/agent_run_options.ts";
import { ModelError } from "../providers/model.ts";
import { type Frame, frameSchema } from "../schemas/frames.ts";
import { Run } from "./run.ts";

const accepted: AgentEvent = { type: "step", n: 1, provider: "vendor_b", model: "m" };
const text = (words: string): AgentEvent => ({ type: "text", text: words });
const used = (inputTokens: number, outputTokens: number): AgentEvent => ({
  type: "usage",
  provider: "vendor_b",
  model: "m",
  inputTokens,
  outputTokens,
});

function open({ busy }: { busy?: Promise<void> } = {}) {
  const runtime = new FakeRuntime();
  const reported: unknown[] = [];
  const run = new Run({
    startedBy: "key-1",
    onFrame: () => {},
    isFollowedElsewhere: () => Promise.resolve(false),
    settle: async ({ costMicroUsd }) => {
      await busy;
      return { charged: costMicroUsd };
    },
    runId: fakeUuid(1),
    tenant: fakeUuid(801),
    metadata: () => ({}),
    requestId: "request-1",
    conversationId: fakeUuid(2),
    primary: { provider: "vendor_a", model: "first" },
    runtime,
    abandonedAfterMs: 30_000,
    price: () => ({ inputUsdPerMTok: 3, outputUsdPerMTok: 15 }),
    reportError: (error) => reported.push(error),
  });
  return { run, runtime, reported };
}

function play(
  events: readonly (AgentEvent | Error)[],
  outcome: AgentOutcome = { finishReason: "stop" },
): Parameters<Run["drive"]>[0] {
  return async (onEvent) => {
    for (const event of events) {
      if (event instanceof Error) throw event;
      onEvent(await Promise.resolve(event));
    }
    return outcome;
  };
}

/** The run's frames, each checked against the protocol; exactly one `done`, and last. */
function framesOf(run: Run): Frame[] {
  const frames = run.log.after(0).map(({ frame }) => frameSchema.parse(frame));
  assertEquals(frames.filter((frame) => frame.type === "done").length, 1);
  assertEquals(frames.at(-1)?.type, "done");
  return frames;
}

Deno.test("Run: an answer is start, delta, usage, done", async () => {
  using _time = new FakeTime();
  const { run } = open();
  await run.drive(play([accepted, text("Hel"), text("lo"), used(1_000, 200)]));
  assertEquals(framesOf(run), [
    {
      type: "start",
      requestId: "request-1",
      runId: fakeUuid(1),
      provider: "vendor_b",
      model: "m",
      conversationId: fakeUuid(2),
    },
    { type: "delta", text: "Hel" },
    { type: "delta", text: "lo" },
    { type: "usage", inputTokens: 1_000, outputTokens: 200, costUsd: 0.006 },
    { type: "done", finishReason: "stop" },
  ]);
  assertEquals(await run.waitUntilOpen(), { started: true });
});

Deno.test("Run: pending text precedes tool frames", async () => {
  using _time = new FakeTime();
  const { run } = open();
  await run.drive(play([
    accepted,
    text("a"),
    text("b"),
    { type: "tool_call", name: "t", args: {} },
    { type: "tool_result", name: "t", output: null },
    text("c"),
  ]));
  const order = framesOf(run).map((frame) => (frame.type === "delta" ? frame.text : frame.type));
  assertEquals(order, ["start", "a", "b", "tool_call", "tool_result", "c", "usage", "done"]);
});

Deno.test("Run: usage of all steps is reported once, near the end", async () => {
  const { run } = open();
  await run.drive(play([accepted, used(1, 1), used(2, 0)]));
  const usages = framesOf(run).filter((frame) => frame.type === "usage");
  assertEquals(usages, [
    { type: "usage", inputTokens: 3, outputTokens: 1, costUsd: 0.000024 },
  ]);
});

Deno.test("Run: an error is reported before done", async () => {
  const { run } = open();
  const error = { code: "budget_exceeded", message: "used up" } as const;
  await run.drive(play([accepted], { finishReason: "max_steps", error }));
  assertEquals(framesOf(run).slice(-2), [
    { type: "error", ...error },
    { type: "done", finishReason: "max_steps" },
  ]);
});

Deno.test("Run: a model that fails before it accepts writes no frame", async () => {
  const { run } = open();
  const down = new ModelError("provider_error", "down");
  await run.drive(play([down]));
  assertEquals(await run.waitUntilOpen(), { started: false, error: down });
  assertEquals(run.log.length, 0);
});

Deno.test("Run: a model that fails after it accepted causes an error frame", async () => {
  const { run, reported } = open();
  await run.drive(play([accepted, text("Hel"), new ModelError("provider_timeout", "too slow")]));
  assertEquals(framesOf(run).slice(-3), [
    { type: "usage", inputTokens: 0, outputTokens: 0, costUsd: 0 },
    { type: "error", code: "provider_timeout", message: "too slow" },
    { type: "done", finishReason: "error" },
  ]);
  assertEquals(reported, []);
});

Deno.test("Run: a stream opened early reports the failure in frames and names the primary model", async () => {
  const { run, runtime } = open();
  const opening = run.waitUntilOpen();
  await runtime.advance(5_000);
  assertEquals(await opening, { started: true });
  await run.drive(play([new ModelError("provider_error", "down")]));
  const frames = framesOf(run);
  assertEquals(frames.map((frame) => frame.type), ["start", "usage", "error", "done"]);
  const [start] = frames;
  assertEquals(start?.type === "start" && [start.provider, start.model], ["vendor_a", "first"]);
});

Deno.test("Run: a run that fails just before its stream opens early does not open", async () => {
  using _time = new FakeTime();
  const free = Promise.withResolvers<void>();
  const { run, runtime } = open({ busy: free.promise });
  const opening = run.waitUntilOpen();
  const error = new ModelError("provider_error", "failed");
  const driven = run.drive(play([error]));
  await runtime.advance(5_000);
  free.resolve();
  await driven;
  assertEquals(await opening, { started: false, error });
  assertEquals(run.log.length, 0);
});

Deno.test("Run: an unknown failure is internal_error and its message is never sent", async () => {
  const { run, reported } = open();
  const bug = new TypeError("postgres://user:password@host");
  await run.drive(play([accepted, bug]));
  const frames = framesOf(run);
  assertEquals(frames.at(-2)?.type === "error" && frames.at(-2), {
    type: "error",
    code: "internal_error",
    message: "the run failed on our side",
  });
  assertEquals(frames.at(-1), { type: "done", finishReason: "error" });
  assertFalse(JSON.stringify(frames).includes("password"));
  assertEquals(reported, [bug]);
});

for (const reason of ["cancelled", "timeout"] as const) {
  Deno.test(`Run: a run stopped as ${reason} ends so whatever the model throws`, async () => {
    const { run, reported } = open();
    await run.drive((onEvent) => {
      onEvent(accepted);
      run.stop(reason);
      run.stop("cancelled");
      return Promise.reject(new TypeError("connection reset"));
    });
    const frames = framesOf(run);
    assertEquals(frames.at(-1), { type: "done", finishReason: reason });
    const error = frames.find((frame) => frame.type === "error");
    assertEquals(error?.code, reason === "timeout" ? "budget_exceeded" : undefined);
    assertEquals(reported, []);
  });
}

Deno.test("Run: stop after the end does nothing", async () => {
  const { run } = open();
  await run.drive(play([accepted]));
  const before = framesOf(run);
  run.stop("cancelled");
  assertEquals(framesOf(run), before);
});

Deno.test("Run: a run that ends without followers leaves no timer", async () => {
  const { run, runtime } = open();
  run.followers.enter();
  run.followers.leave();
  assertEquals(runtime.sleeping, 1);
  await run.drive(play([accepted]));
  assertEquals(runtime.sleeping, 0);
});

Deno.test("Run: a run without followers is cancelled", async () => {
  const { run, runtime } = open();
  run.followers.enter();
  run.followers.leave();
  await runtime.advance(30_000);
  assertEquals(run.signal.aborted, true);
});
