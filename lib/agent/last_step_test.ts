import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { runLoop } from "@/tests/support/agent_runs.ts";
import { call, end, FakeModel, text } from "@/tests/support/fake_model.ts";
import type { PlannedStep } from "./agent_run_options.ts";
import { NOTICE_BYTES, type StepLimit } from "./last_step.ts";

const CALL = [call("look_up"), end("tool_calls")] as const;
const ANSWER = [text("So far: blue."), end()] as const;

/** Authorizes every step; from the step `from` on, `limit` will not pay for another. */
function limited(limit: StepLimit, from: number) {
  const asked: PlannedStep[] = [];
  const authorizeStep = (step: PlannedStep) => {
    asked.push(step);
    const isShort = asked.length >= from;
    return Promise.resolve({ outputTokens: () => 100, ...isShort && { limit } });
  };
  return { asked, authorizeStep };
}

Deno.test("runAgent: the last of the steps is asked to finish, and cannot call tools", async () => {
  const model = new FakeModel(CALL, CALL, ANSWER);
  const limits: StepLimit[] = [];
  const { outcome } = await runLoop([model], { onLastStep: (limit) => limits.push(limit) });
  assertEquals(model.requests.map(({ toolChoice }) => toolChoice), [undefined, undefined, "none"]);
  assertEquals(model.requests.map(({ tools }) => tools.length), [1, 1, 1]);
  assertEquals(model.requests.map(({ system }) => system.includes("last step")), [
    false,
    false,
    true,
  ]);
  assertEquals([outcome, limits], [{ finishReason: "stop" }, ["max_steps"]]);
});

for (const limit of ["max_cost", "timeout"] as const) {
  Deno.test(`runAgent: a budget that will not pay for another step (${limit}) ends with an answer`, async () => {
    const model = new FakeModel(CALL, CALL, ANSWER);
    const { authorizeStep, asked } = limited(limit, 3);
    const { outcome, executed } = await runLoop([model], { authorizeStep, maxSteps: 9 });
    assertEquals([outcome, executed.length], [{ finishReason: "stop" }, 2]);
    assertEquals(model.requests.at(-1)?.toolChoice, "none");
    // The notice is authorized with its own size, in a second request for the same step.
    const [plain, noticed] = asked.slice(-2);
    assertEquals(noticed!.inputBytes - plain!.inputBytes, NOTICE_BYTES);
    const [before, after] = model.requests.slice(-2).map(({ system }) => system.length);
    assertEquals(after! - before!, NOTICE_BYTES);
  });

  Deno.test(`runAgent: a model that calls a tool in its last step ends with ${limit}, and no tool runs`, async () => {
    const model = new FakeModel(CALL, [text("Wait. "), ...CALL]);
    const { authorizeStep } = limited(limit, 2);
    const { outcome, executed, events } = await runLoop([model], { authorizeStep, maxSteps: 9 });
    assertEquals(executed.length, 1);
    assertEquals(events.at(-1), { type: "text", text: "Wait. " });
    assertEquals([outcome?.finishReason, outcome?.error?.code], [limit, "budget_exceeded"]);
  });
}

Deno.test("runAgent: the first step is never the last one, whatever is left", async () => {
  const model = new FakeModel(CALL, ANSWER);
  const { authorizeStep } = limited("max_cost", 1);
  const { executed } = await runLoop([model], { authorizeStep });
  assertEquals([model.requests[0]?.toolChoice, executed.length], [undefined, 1]);
  const only = new FakeModel(CALL);
  const { outcome } = await runLoop([only], { maxSteps: 1 });
  assertEquals([only.requests[0]?.toolChoice, outcome?.finishReason], [undefined, "max_steps"]);
});

Deno.test("runAgent: an answer that is cut in the last step ends with length, like any other", async () => {
  const model = new FakeModel(CALL, [text("So far"), end("length")]);
  const { outcome } = await runLoop([model], limited("max_cost", 2));
  assertEquals(outcome, { finishReason: "length" });
});

Deno.test("runAgent: the notice takes part in fitting the context", async () => {
  const long = { role: "user" as const, content: "x".repeat(3_000) };
  const reply = { role: "assistant" as const, content: "y" };
  const messages = [long, reply, { role: "user" as const, content: "hi" }];
  const contextWindow = { contextTokens: 1_500, maxOutputTokens: 100 };
  const model = new FakeModel(CALL, ANSWER);
  const truncations: number[] = [];
  await runLoop([model], {
    ...{ messages, contextWindow, maxSteps: 2 },
    onTruncation: ({ droppedMessages }) => truncations.push(droppedMessages),
  });
  const [first, last] = model.requests;
  assertEquals(first!.messages.length, 3);
  const bytes = JSON.stringify([last!.system, last!.messages, last!.tools]).length;
  assert(bytes <= 3 * 1_400 + 100, `${bytes} bytes`);
  assertStringIncludes(JSON.stringify(last!.messages), '"hi"');
});
