import { assertEquals, assertRejects } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { runFacts } from "@/tests/support/run_requests.ts";
import type { AgentEvent } from "../../agent/agent_run_options.ts";
import type { HeldCall } from "../../agent/held_call.ts";
import type { Run } from "../run.ts";
import { RunCalls } from "./run_calls.ts";
import type { RunRegistry } from "../run_registry.ts";

/** The calls of a run whose `hold` is stored when `stored` resolves. */
function open(stored: Promise<void> = Promise.resolve()) {
  const stop = new AbortController();
  const reported: AgentEvent[] = [];
  const runtime = new FakeRuntime();
  const answerLater = async () => {
    await runtime.advance(7_000);
    return { kind: "approved" as const };
  };
  const hold = async (): Promise<HeldCall> => {
    await stored;
    return { waitsFor: "visitor", expiresAt: 0, answer: answerLater() };
  };
  const run = {
    ...{ id: "run", signal: stop.signal, hasReservedNumbers: false, nextCall: () => 3 },
    followers: { enter() {}, leave() {} },
    report: (event: AgentEvent) => reported.push(event),
  };
  const runs = { calls: { hold } };
  const deps = { runs: runs as never as RunRegistry, runtime };
  const options = { facts: runFacts(1), wallClockMs: 60_000, deps };
  return { calls: new RunCalls(run as never as Run, options), stop, reported };
}

const { signal } = new AbortController();

Deno.test("RunCalls: a question of a run that is stopped while it is stored is not asked", async () => {
  const stored = Promise.withResolvers<void>();
  const { calls, stop, reported } = open(stored.promise);
  const asked = calls.askVisitor("Sure?", signal);
  stop.abort(new Error("stopped"));
  stored.resolve();
  await assertRejects(() => asked, Error, "stopped");
  assertEquals(reported, []);
});

Deno.test("RunCalls: a question that guardrails mask is declined, any other is asked", async () => {
  const { calls, reported } = open();
  calls.guardEvents((event) =>
    event.type === "tool_call" && JSON.stringify(event.args).includes("@")
      ? { ...event, args: { message: "Send it to [email]?" } }
      : event
  );
  assertEquals(await calls.askVisitor("Send it to a@example.com?", signal), false);
  assertEquals(reported, []);
  assertEquals(await calls.askVisitor("Send it?", signal), true);
  assertEquals(reported.map(({ type }) => type), ["tool_call", "tool_result"]);
});

for (const [who, ms] of [["visitor", 7_000], ["person", 7_000], ["page", 0]] as const) {
  Deno.test(`RunCalls: a wait for a ${who} counts as one for people (${ms} ms)`, async () => {
    const { calls } = open();
    const held = await calls.forLoop.holdCall!("refund", { for: who });
    if (typeof held === "object") await held.answer;
    assertEquals(calls.waitedMs, ms);
  });
}
