import { assert, assertEquals } from "@std/assert";
import { down, runLoop } from "@/tests/support/agent_runs.ts";
import { call, end, FakeModel, text } from "@/tests/support/fake_model.ts";

Deno.test("runAgent: a tool call and its result become events, and the model sees both", async () => {
  const model = new FakeModel(
    [text("Let me look."), call("look_up", '{"q":"x"}'), end("tool_calls")],
    [text("Found."), end()],
  );
  const { events, outcome, executed } = await runLoop([model]);
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

Deno.test("runAgent: several calls of one step are executed in sequence", async () => {
  const model = new FakeModel(
    [call("look_up", '{"n":1}', "a"), call("look_up", '{"n":2}', "b"), end("tool_calls")],
    [end()],
  );
  const { events } = await runLoop([model]);
  assertEquals(events.map((event) => event.type), [
    "step",
    "tool_call",
    "tool_result",
    "tool_call",
    "tool_result",
    "step",
  ]);
});

Deno.test("runAgent: a call without arguments gets an empty object", async () => {
  const { executed } = await runLoop([
    new FakeModel([call("look_up", ""), end("tool_calls")], [end()]),
  ]);
  assertEquals(executed, [["look_up", {}]]);
});

for (const name of ["missing", "constructor", "__proto__", "toString"]) {
  Deno.test(`runAgent: a tool named ${name} is tool_unknown and the run goes on`, async () => {
    const model = new FakeModel([call(name), end("tool_calls")], [text("Sorry."), end()]);
    const { events, outcome, executed } = await runLoop([model]);
    assertEquals(executed, []);
    const result = events.find((event) => event.type === "tool_result");
    const error = { code: "tool_unknown", message: `there is no tool named ${name}` };
    assertEquals(result?.output, { error });
    assertEquals(outcome, { finishReason: "stop" });
  });
}

for (const args of ["{", "[1]", "null", '"text"', "7"]) {
  Deno.test(`runAgent: invalid arguments ${args} never reach a tool`, async () => {
    const model = new FakeModel([call("look_up", args), end("tool_calls")], [end()]);
    const { events, executed } = await runLoop([model]);
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

Deno.test("runAgent: endless tool calls end at max_steps with budget_exceeded", async () => {
  const again = [call("look_up"), end("tool_calls")];
  const model = new FakeModel(again, again, again);
  const { outcome } = await runLoop([model]);
  assertEquals(model.requests.length, 3);
  assertEquals(outcome?.finishReason, "max_steps");
  assertEquals(outcome?.error?.code, "budget_exceeded");
});

Deno.test("runAgent: a run aborted during a tool call starts no further step", async () => {
  const stop = new AbortController();
  const model = new FakeModel([call("look_up"), end("tool_calls")], [end()]);
  const executeTool = () => {
    stop.abort(new Error("stopped"));
    return Promise.resolve("late");
  };
  const { failed } = await runLoop([model], { executeTool, signal: stop.signal });
  assertEquals((failed as Error).message, "stopped");
  assertEquals(model.requests.length, 1);
});

Deno.test("runAgent: the tool gets the run's signal", async () => {
  const { signal } = new AbortController();
  let given: AbortSignal | undefined;
  const executeTool = (_name: string, _args: unknown, call: { signal: AbortSignal }) => {
    given = call.signal;
    return Promise.resolve(null);
  };
  const model = new FakeModel([call("look_up"), end("tool_calls")], [end()]);
  await runLoop([model], { executeTool, signal });
  assertEquals(given, signal);
});

Deno.test("runAgent: a run aborted during a tool call makes no further call", async () => {
  const stop = new AbortController();
  const model = new FakeModel([call("look_up"), call("look_up"), end("tool_calls")]);
  const executeTool = () => {
    stop.abort(new Error("stopped"));
    return Promise.resolve("late");
  };
  const { events } = await runLoop([model], { executeTool, signal: stop.signal });
  assertEquals(events.map(({ type }) => type), ["step", "tool_call", "tool_result"]);
});

Deno.test("runAgent: provider metadata goes back to its own provider only", async () => {
  const signed = { id: "c1", name: "look_up", args: "{}", providerMetadata: "signature" };
  const calls = [
    { type: "tool_call", call: signed } as const,
    { ...end("tool_calls"), providerMetadata: ["thought"] },
  ];
  const primary = new FakeModel(calls, down);
  const spare = new FakeModel([call("look_up"), end("tool_calls")], [end()]);
  const { events } = await runLoop([primary, spare]);
  const seen = (model: FakeModel) =>
    model.requests.map(({ messages }) => {
      const text = JSON.stringify(messages);
      return ["signature", "thought", "fromOtherModel"].filter((word) => text.includes(word));
    });
  assertEquals(seen(primary), [[], ["signature", "thought"]]);
  assertEquals(seen(spare), [["fromOtherModel"], ["fromOtherModel"]]);
  // Only the turn of the other model is marked.
  const [, theirs, , own] = spare.requests[1]!.messages;
  assertEquals([theirs, own].map((one) => one?.role === "assistant" && one.fromOtherModel), [
    true,
    undefined,
  ]);
  assertEquals(/signature|thought/.test(JSON.stringify(events)), false);
});

Deno.test("runAgent: provider metadata counts as input of later steps, up to its turn's output limit", async () => {
  const asked = async (granted: number, carried?: string) => {
    const ends = {
      ...end("tool_calls"),
      ...(carried === undefined ? {} : { providerMetadata: carried }),
    };
    const bounds: number[] = [];
    await runLoop([new FakeModel([call("look_up"), ends], [end()])], {
      authorizeStep: ({ inputTokens }) => {
        bounds.push(inputTokens);
        return Promise.resolve({ outputTokens: () => granted });
      },
    });
    return bounds;
  };
  const [first, bare] = await asked(9_999);
  const around = `,"providerMetadata":,"maxOutputTokens":9999`.length;
  assertEquals(await asked(9_999, "é".repeat(500)), [first, bare! + around + 1_002]);
  assertEquals(await asked(1_001, "é".repeat(500)), [first, bare! + around + 1_001]);
});

Deno.test("runAgent: a tool name that providers reject is sanitized", async () => {
  for (const name of ["multi_tool_use.parallel", "größe", "1st", "a".repeat(500)]) {
    const model = new FakeModel([call(name), end("tool_calls")], [end()]);
    const { events, outcome } = await runLoop([model]);
    assertEquals(events[1], { type: "tool_call", name, args: {} });
    const [, asked, answered] = model.requests[1]!.messages;
    const told = asked?.role === "assistant" ? asked.toolCalls?.[0]?.name : undefined;
    assert(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(told ?? ""), told);
    assertEquals(answered?.role === "tool" && answered.name, told);
    assertEquals(outcome, { finishReason: "stop" });
  }
});
