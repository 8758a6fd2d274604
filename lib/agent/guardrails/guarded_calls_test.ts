import { assertEquals, assertStringIncludes } from "@std/assert";
import { call, end, type Script, text, usage } from "@/tests/support/fake_model.ts";
import { CARD, type Change, MASKED, run } from "@/tests/support/guarded_runs.ts";

Deno.test("guardrails: frames show masked arguments and results, tools and model get the real ones", async () => {
  const args = JSON.stringify({ to: "b@example.com", [CARD]: 4111111111111111 });
  const { events, executed, model } = await run(MASKED, [
    [usage(1, 1), call("look_up", args), end("tool_calls")],
    [text("Done."), usage(1, 1), end()],
  ]);
  assertEquals(events.filter(({ type }) => type.startsWith("tool")), [
    {
      type: "tool_call",
      name: "look_up",
      args: { to: "[email address]", "[card number]": "[card number]" },
    },
    { type: "tool_result", name: "look_up", output: { mail: "[email address]", n: 1 } },
  ]);
  assertEquals(executed, [["look_up", JSON.parse(args)]]);
  assertStringIncludes(JSON.stringify(model.requests[1]!.messages), "a@example.com");
});

Deno.test("guardrails: the note of a hand-off is stored, so its tool gets it masked", async () => {
  const args = JSON.stringify({ reason: `Card ${CARD}` });
  const { executed } = await run(MASKED, [
    [usage(1, 1), call("hand_off", args), end("tool_calls")],
    [text("A person comes."), usage(1, 1), end()],
  ]);
  assertEquals(executed, [["hand_off", { reason: "Card [card number]" }]]);
});

Deno.test("guardrails: a call keeps its key", async () => {
  const ids: (string | undefined)[] = [];
  const { events } = await run(MASKED, [
    [usage(1, 1), call("look_up"), end("tool_calls")],
    [text("Done."), usage(1, 1), end()],
  ], { execute: (_name, _args, { id }) => Promise.resolve(ids.push(id)) });
  const n = events.findIndex(({ type }) => type === "tool_call") + 1;
  assertEquals(ids, [`run.${n}`]);
});

Deno.test("guardrails: a call with hidden arguments is declined before anybody is asked", async () => {
  const held: unknown[] = [];
  const change: Change = {
    traits: { wait: { for: "visitor" } },
    holdCall: (_name, { for: waitsFor }) => {
      held.push(waitsFor);
      return Promise.resolve({
        waitsFor,
        expiresAt: 0,
        answer: Promise.resolve({ kind: "approved" }),
      });
    },
  };
  const asking = (args: object): Script[] => [
    [usage(1, 1), call("look_up", JSON.stringify(args)), end("tool_calls")],
    [text("Done."), usage(1, 1), end()],
  ];
  const hidden = await run(MASKED, asking({ to: "b@example.com" }), change);
  assertEquals([held, hidden.executed], [[], []]);
  const result = hidden.events.find(({ type }) => type === "tool_result")!;
  assertStringIncludes(JSON.stringify(result), "tool_refused");
  const shown = await run(MASKED, asking({ to: "b" }), change);
  assertEquals([held, shown.executed], [["visitor"], [["look_up", { to: "b" }]]]);
});
