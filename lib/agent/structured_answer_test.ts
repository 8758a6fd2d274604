/** Answers under a response schema: only valid ones are sent, and a bad one is asked for once more. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { runLoop } from "@/tests/support/agent_runs.ts";
import { call, end, FakeModel, text } from "@/tests/support/fake_model.ts";
import { compileParameters } from "./tools/arguments/compile_parameters.ts";

const SCHEMA = {
  type: "object",
  properties: { degrees: { type: "integer" } },
  required: ["degrees"],
};
const compiled = compileParameters(SCHEMA);
const STRUCTURED = {
  responseSchema: SCHEMA,
  validateAnswer: "validate" in compiled ? compiled.validate : () => "does not compile",
};
const INVALID = {
  finishReason: "error",
  error: {
    code: "provider_error",
    message: "the model's answer is not valid against the agent's response schema",
  },
} as const;

async function ask(model: FakeModel, change: Parameters<typeof runLoop>[1] = {}) {
  const { events, outcome } = await runLoop([model], { ...STRUCTURED, ...change });
  const texts = events.flatMap((event) => event.type === "text" ? [event.text] : []);
  return { texts, outcome };
}

Deno.test("a valid answer is sent whole, once it is complete", async () => {
  const model = new FakeModel([text('{"deg'), text('rees":21}'), end()]);
  assertEquals(await ask(model), { texts: ['{"degrees":21}'], outcome: { finishReason: "stop" } });
  assertEquals(model.requests[0]?.responseSchema, SCHEMA);
});

Deno.test("a fence around the answer is removed", async () => {
  const fenced = '```json\n{\n  "degrees": 21\n}\n```\n';
  const { texts } = await ask(new FakeModel([text(fenced), end()]));
  assertEquals(texts, ['{\n  "degrees": 21\n}']);
});

Deno.test("an invalid answer is asked for once more, with what is wrong, and never sent", async () => {
  const model = new FakeModel([text('{"degrees":"warm"}'), end()], [text('{"degrees":21}'), end()]);
  assertEquals(await ask(model), { texts: ['{"degrees":21}'], outcome: { finishReason: "stop" } });
  const [, answer, repair] = model.requests[1]!.messages;
  assertEquals(answer, { role: "assistant", content: '{"degrees":"warm"}', toolCalls: [] });
  assert(repair?.role === "user");
  assertStringIncludes(repair.content, "degrees must be integer");
});

for (const bad of ["Sorry, I cannot.", '{"degrees":', "", "[]", '{"degrees":NaN}', "21 21"]) {
  Deno.test(`a model that answers ${JSON.stringify(bad)} twice ends the run with an error`, async () => {
    const model = new FakeModel([text(bad), end()], [text(bad), end()], [text("{}"), end()]);
    assertEquals(await ask(model), { texts: [], outcome: INVALID });
    assertEquals(model.requests.length, 2);
  });
}

Deno.test("an answer that was cut off, or of the last step, is not asked for again", async () => {
  const cut = new FakeModel([text('{"degrees":'), end("length")]);
  const { texts, outcome } = await ask(cut);
  assertEquals([texts, cut.requests.length], [[], 1]);
  assertEquals(outcome, { finishReason: "length" });
  const last = new FakeModel([text("no"), end()]);
  assertEquals(await ask(last, { maxSteps: 1 }), { texts: [], outcome: INVALID });
});

Deno.test("an answer that a filter ended is not sent, and is no error of ours", async () => {
  const outcome = { finishReason: "content_filter" } as const;
  const model = new FakeModel([text("I can't help with that."), end("content_filter")]);
  assertEquals(await ask(model), { texts: [], outcome });
});

Deno.test("what a model writes beside its calls is no part of the answer", async () => {
  const model = new FakeModel(
    [text("Let me look."), call("look_up"), end("tool_calls")],
    [text('{"degrees":21}'), end()],
  );
  assertEquals((await ask(model)).texts, ['{"degrees":21}']);
});

Deno.test("an answer beside follow-up questions is checked too", async () => {
  const traitsOf = () => ({ endsAnswer: true as const });
  const model = new FakeModel(
    [text("no JSON"), call("look_up"), end("tool_calls")],
    [text('{"degrees":21}'), call("look_up"), end("tool_calls")],
  );
  const { texts, outcome } = await ask(model, { traitsOf });
  assertEquals([texts, outcome], [['{"degrees":21}'], { finishReason: "stop" }]);
});

Deno.test("a hostile answer of deep nesting is invalid, whatever it costs to check", async () => {
  const deep = "[".repeat(5_000) + "]".repeat(5_000);
  const model = new FakeModel([text(deep), end()], [text(deep), end()]);
  assertEquals(await ask(model), { texts: [], outcome: INVALID });
});
