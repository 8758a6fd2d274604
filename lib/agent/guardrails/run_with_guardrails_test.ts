import { assert, assertEquals } from "@std/assert";
import { call, end, type Script, text, usage } from "@/tests/support/fake_model.ts";
import { blocking, CARD, MASKED, run, words } from "@/tests/support/guarded_runs.ts";
import type { AgentOutcome } from "../agent_run_options.ts";
import type { Guardrails } from "../../schemas/guardrails.ts";

Deno.test("guardrails: what is masked is neither shown nor read by the next step", async () => {
  const { shown, model, hits } = await run(MASKED, [
    [...words(`Card ${CARD}.`), usage(1, 1), call("look_up"), end("tool_calls")],
    [...words("Done."), usage(1, 1), end()],
  ]);
  assertEquals(shown, "Card [card number].Done.");
  assertEquals(model.requests[1]!.messages[1]!, {
    role: "assistant",
    content: "Card [card number].",
    toolCalls: [{ id: "call_look_up", name: "look_up", args: "{}" }],
  });
  assertEquals(hits[0], { side: "output", rule: "card", action: "mask", count: 1 });
});

Deno.test("guardrails: what the model thought is stored without what is masked", async () => {
  const reasoning = `The card is ${CARD}, so I decline.`;
  const { events, hits } = await run(MASKED, [
    [text("No."), usage(1, 1), { type: "end", reason: "stop", reasoning }],
  ]);
  assertEquals(events.filter(({ type }) => type === "reasoning"), [
    { type: "reasoning", text: "The card is [card number], so I decline." },
  ]);
  assertEquals(hits, []);
});

Deno.test("guardrails: an answer under a response schema is masked, then checked and shown whole", async () => {
  const validate = (answer: unknown) =>
    typeof (answer as { card?: unknown }).card === "string" ? undefined : "card must be string";
  const { shown, events, outcome } = await run(
    MASKED,
    [[...words(`{"card":"${CARD}"}`), usage(1, 1), end()]],
    { validate },
  );
  assertEquals([shown, outcome], ['{"card":"[card number]"}', { finishReason: "stop" }]);
  assertEquals(events.filter(({ type }) => type === "text").length, 1);
});

Deno.test("guardrails: a blocked answer under a response schema is the guardrail's message", async () => {
  const { shown, outcome } = await run(
    blocking("No."),
    [[...words('{"note":"a secret"}'), usage(1, 1), end()]],
    { validate: () => undefined },
  );
  assertEquals([shown, outcome], ["No.", { finishReason: "content_filter" }]);
});

Deno.test("guardrails: a number that two steps share is masked, whatever is called in between", async () => {
  const { shown, events } = await run(MASKED, [
    [text(`Card ${CARD.slice(0, 10)}`), usage(1, 1), call("look_up"), end("tool_calls")],
    [text(CARD.slice(10)), text(" ok"), usage(1, 1), end()],
  ]);
  assertEquals(shown, "Card [card number] ok");
  assert(!JSON.stringify(events).includes("4111"));
});

Deno.test("guardrails: blocked text stops the model, its calls and the run", async () => {
  const never = Promise.withResolvers<void>().promise;
  const { shown, outcome, executed, hits } = await run(blocking("Ask the shop."), [
    [
      call("look_up"),
      ...words("The sec"),
      ...words("ret is"),
      never,
      usage(1, 9),
      end("tool_calls"),
    ],
  ]);
  assertEquals(shown, "The \n\nAsk the shop.");
  assertEquals(outcome, { finishReason: "content_filter" });
  assertEquals([executed, hits], [[], [
    { side: "output", rule: "deny_words", action: "block", count: 1 },
  ]]);
});

Deno.test("guardrails: a blocked answer without text before it is only the message", async () => {
  const { shown } = await run(blocking(), [[text("Secret!"), usage(1, 1), end()]]);
  assertEquals(shown, "I cannot help with that.");
});

Deno.test("guardrails: what is held back is shown when the run is stopped", async () => {
  const stop = new AbortController();
  const stopped = Promise.withResolvers<void>();
  const running = run(MASKED, [[text("Write to jo"), stopped.promise]], { signal: stop.signal });
  for (let n = 0; n < 20; n++) await Promise.resolve();
  stop.abort(new Error("stopped"));
  const { shown, failed } = await running;
  assertEquals([shown, (failed as Error).message], ["Write to jo", "stopped"]);
});

Deno.test("guardrails: what is held back is shown when the provider fails", async () => {
  const { shown, failed } = await run(MASKED, [[text("Write to jo"), new Error("broken")]]);
  assertEquals([shown, (failed as Error).message], ["Write to jo", "broken"]);
});

Deno.test("guardrails: a message that the rules block asks no model", async () => {
  const settings: Guardrails = { input: { denyWords: { words: ["x"], action: "block" } } };
  const { shown, model, events, outcome } = await run(settings, [], { inputStop: "block" });
  assertEquals([shown, model.requests.length], ["I cannot help with that.", 0]);
  assertEquals([events[0]?.type, outcome], ["step", { finishReason: "content_filter" }]);
});

const CLASSIFIED = (failClosed?: boolean): Guardrails => {
  const classifier = {
    provider: "vendor_a" as const,
    model: "m",
    policy: "No.",
    action: "block" as const,
  };
  const one = { classifier: { ...classifier, ...failClosed !== undefined && { failClosed } } };
  return { input: one, output: one };
};

Deno.test("guardrails: a classifier judges all that the client sent, and what it blocked is not read again", async () => {
  const judged: string[] = [];
  const messages = [
    { role: "user" as const, content: "Build a bomb." },
    { role: "assistant" as const, content: "I cannot help with that." },
    { role: "user" as const, content: "Then as before." },
  ];
  const { model } = await run(CLASSIFIED(), [[text("So."), usage(1, 1), end()]], {
    messages,
    judge: (side, text) => {
      judged.push(`${side}|${text}`);
      return Promise.resolve("allow");
    },
  });
  const read = "user: [removed]\n\nassistant: I cannot help with that.\n\nuser: Then as before.";
  assertEquals(judged, [`input|${read}`, "output|So."]);
  assertEquals(model.requests[0]!.messages[0], { role: "user", content: "[removed]" });
});

Deno.test("guardrails: an unreachable classifier passes text, or blocks it with failClosed", async () => {
  const judge = () => Promise.resolve("unavailable" as const);
  const open = await run(CLASSIFIED(), [[text("So."), usage(1, 1), end()]], { judge });
  assertEquals([open.shown, open.outcome], ["So.", { finishReason: "stop" }]);
  assertEquals(open.hits.map(({ side, action, unavailable }) => [side, action, unavailable]), [
    ["input", "allow", true],
    ["output", "allow", true],
  ]);
  const closed = await run(CLASSIFIED(true), [], { judge });
  assertEquals([closed.shown, closed.model.requests.length], ["I cannot help with that.", 0]);
  assertEquals(closed.hits.map(({ action, unavailable }) => [action, unavailable]), [[
    "block",
    true,
  ]]);
});

Deno.test("guardrails: text that waits for a classifier is not shown when the run is stopped", async () => {
  const stop = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    stop.signal.addEventListener("abort", () => reject(stop.signal.reason));
  });
  aborted.catch(() => {});
  const { output } = CLASSIFIED();
  const running = run({ output: output! }, [[text(`${"Not yet judged. ".repeat(20)}`), aborted]], {
    signal: stop.signal,
    judge: () => aborted,
  });
  for (let n = 0; n < 20; n++) await Promise.resolve();
  stop.abort(new Error("stopped"));
  const { shown, failed } = await running;
  assertEquals([shown, (failed as Error).message], ["", "stopped"]);
});

Deno.test("guardrails: a check that cannot be paid ends the run with what was shown", async () => {
  const ended: AgentOutcome = { finishReason: "max_cost" };
  const { output } = CLASSIFIED();
  const { shown, outcome } = await run({ output: output! }, [[text("So."), usage(1, 1), end()]], {
    judge: () => Promise.resolve({ ended }),
  });
  assertEquals([shown, outcome], ["", ended]);
});

Deno.test("guardrails: a hand-off is the model's tool, and the visitor reads its note", async () => {
  const settings: Guardrails = { output: { denyWords: { words: ["secret"], action: "hand_off" } } };
  const script: Script = [text("The secret."), usage(1, 1), end()];
  const waiting = await run(settings, [script], {
    execute: () => Promise.resolve({ state: "waiting", note: "A person comes." }),
  });
  assertEquals(waiting.shown, "The \n\nA person comes.");
  assertEquals(waiting.executed[0]![0], "hand_off");
  const types = waiting.events.map(({ type }) => type).filter((type) => type !== "usage");
  assertEquals(types, [
    ...["step", "text", "tool_call", "tool_result", "text"],
  ]);
  const nobody = await run(settings, [[text("The secret."), usage(1, 1), end()]], {
    execute: () => Promise.resolve({ state: "unavailable", note: "For the model." }),
  });
  assertEquals(nobody.shown, "The \n\nI cannot help with that.");
  assertEquals(nobody.outcome, { finishReason: "content_filter" });
});

Deno.test("guardrails: a tool's name that the model made up is masked everywhere", async () => {
  const { events, model } = await run(MASKED, [
    [usage(1, 1), call(CARD), end("tool_calls")],
    [text("Done."), usage(1, 1), end()],
  ]);
  assertEquals(
    events.flatMap((event) => event.type === "tool_call" ? event.name : []),
    ["[card number]"],
  );
  assert(!JSON.stringify(events).includes(CARD));
  assert(!JSON.stringify(model.requests[1]!.messages).includes(`"name":"${CARD}`));
});

Deno.test("guardrails: a word in the name of a tool that exists does not change the name", async () => {
  const settings: Guardrails = { output: { denyWords: { words: ["look"], action: "mask" } } };
  const { events, executed } = await run(settings, [
    [usage(1, 1), call("look_up"), end("tool_calls")],
    [text("Done."), usage(1, 1), end()],
  ]);
  assert(events.some((event) => event.type === "tool_call" && event.name === "look_up"));
  assertEquals(executed.length, 1);
});

Deno.test("guardrails: what was handed over by a classifier is not judged again", async () => {
  const classifier = { ...CLASSIFIED().input!.classifier!, action: "hand_off" as const };
  const judged: string[] = [];
  await run({ input: { classifier } }, [[text("So."), usage(1, 1), end()]], {
    handoffMessage: "A person comes.",
    messages: [
      { role: "user", content: "Build a bomb." },
      { role: "assistant", content: "A person comes." },
      { role: "user", content: "Where is my parcel?" },
    ],
    judge: (_, text) => {
      judged.push(text);
      return Promise.resolve("allow");
    },
  });
  assertEquals(judged, [
    "user: [removed]\n\nassistant: A person comes.\n\nuser: Where is my parcel?",
  ]);
});

Deno.test("guardrails: where no conversation can be handed over, an answer ends with the message alone", async () => {
  const settings: Guardrails = { output: { denyWords: { words: ["secret"], action: "hand_off" } } };
  const { events, shown, executed } = await run(
    settings,
    [[text("The secret."), usage(1, 1), end()]],
    { tools: [] },
  );
  assertEquals([shown, executed], ["The \n\nI cannot help with that.", []]);
  assert(!events.some(({ type }) => type === "tool_call"));
});

Deno.test("guardrails: a number that a limit, a failure or a stop cuts off is not shown", async () => {
  const beginning = text("Card 4111 1111 1111 111");
  const limited = await run(MASKED, [[beginning, usage(1, 1), end("length")]]);
  assertEquals([limited.shown, limited.outcome], ["Card ", { finishReason: "length" }]);
  const failed = await run(MASKED, [[beginning, new Error("broken")]]);
  assertEquals(failed.shown, "Card ");
  const stop = new AbortController();
  const never = Promise.withResolvers<void>().promise;
  const running = run(MASKED, [[beginning, never]], { signal: stop.signal });
  for (let n = 0; n < 20; n++) await Promise.resolve();
  stop.abort(new Error("stopped"));
  assertEquals((await running).shown, "Card ");
});

Deno.test("guardrails: an answer under a response schema begins with nothing of the step before", async () => {
  const { shown, model } = await run(
    MASKED,
    [
      [text("Looking for 4111"), usage(1, 1), call("look_up"), end("tool_calls")],
      [text('{"n":1}'), usage(1, 1), end()],
    ],
    { validate: () => undefined },
  );
  assertEquals([shown, model.requests.length], ['{"n":1}', 2]);
});
