import { assertEquals } from "@std/assert";
import { runLoop } from "@/tests/support/agent_runs.ts";
import { call, end, FakeModel, type Script, text } from "@/tests/support/fake_model.ts";
import { SUGGEST_FOLLOW_UPS, suggestFollowUpsTool } from "./tools/suggest_follow_ups_tool.ts";

const ARGS = '{"questions":["And then?"]}';
const suggest = call(SUGGEST_FOLLOW_UPS, ARGS);
const answerEnds = [text("It is blue."), suggest, end("tool_calls")] as const;

/** Runs the loop with the tool `look_up` and follow-ups, whose result is `output`. */
async function run(scripts: Script[], { output = { ok: true } as unknown, maxSteps = 3 } = {}) {
  const { tool, endsAnswer } = suggestFollowUpsTool();
  const model = new FakeModel(...scripts);
  const { events, outcome } = await runLoop([model], {
    tools: [tool, { ...tool, name: "look_up" }],
    traitsOf: (name) => name === tool.name ? { endsAnswer: endsAnswer! } : {},
    executeTool: () => Promise.resolve(output),
    maxSteps,
  });
  const types = events.map(({ type }) => type);
  return { types, outcome, steps: model.requests.length };
}

Deno.test("runAgent: follow-ups beside a text end the run with stop, without another step", async () => {
  const { types, outcome, steps } = await run([answerEnds], { maxSteps: 1 });
  assertEquals(types, ["step", "text", "tool_call", "tool_result"]);
  assertEquals([outcome, steps], [{ finishReason: "stop" }, 1]);
});

Deno.test("runAgent: two calls of follow-ups beside a text end the run too, after both results", async () => {
  const second = call(SUGGEST_FOLLOW_UPS, ARGS, "second");
  const { types, steps } = await run([[text("It is blue."), suggest, second, end("tool_calls")]]);
  assertEquals(types.filter((type) => type === "tool_result").length, 2);
  assertEquals(steps, 1);
});

Deno.test("runAgent: follow-ups before the answer are a step like any other", async () => {
  for (const first of [[suggest, end("tool_calls")], [text(" \n"), suggest, end("tool_calls")]]) {
    const { types, outcome, steps } = await run([first, [text("It is blue."), end()]]);
    assertEquals(types.slice(-2), ["step", "text"]);
    assertEquals([outcome, steps], [{ finishReason: "stop" }, 2]);
  }
});

Deno.test("runAgent: follow-ups beside the text of the last step end the run with stop", async () => {
  const first = [call("look_up"), end("tool_calls")];
  const { types, outcome } = await run([first, answerEnds], { maxSteps: 2 });
  assertEquals(types.slice(-3), ["text", "tool_call", "tool_result"]);
  assertEquals(outcome, { finishReason: "stop" });
});

Deno.test("runAgent: follow-ups beside another call do not end the run", async () => {
  const both = [text("Let me look."), call("look_up"), suggest, end("tool_calls")] as const;
  const { steps, outcome } = await run([both, answerEnds]);
  assertEquals([outcome, steps], [{ finishReason: "stop" }, 2]);
});

Deno.test("runAgent: rejected follow-ups beside a text end the run: the answer is complete", async () => {
  const output = { error: { code: "tool_invalid_arguments", message: "too many" } };
  assertEquals((await run([answerEnds], { output })).steps, 1);
});

Deno.test("runAgent: text that ends with the tool_calls reason but without a call goes on", async () => {
  const { steps } = await run([[text("It is"), end("tool_calls")], [text("blue."), end()]]);
  assertEquals(steps, 2);
});
