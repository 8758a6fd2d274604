import { assertEquals, assertRejects } from "@std/assert";
import type { AgentEvent } from "./agent_run_options.ts";
import type { ExecuteOptions } from "./execute_tool_call.ts";
import { executeToolCalls } from "./execute_tool_calls.ts";

type Execute = ExecuteOptions["executeTool"];

/** A step with calls of a tool that allows others beside it. */
function setUp(count: number, executeTool: Execute, signal = new AbortController().signal) {
  const calls = Array.from({ length: count }, (_, i) => {
    return { id: `${i + 1}`, name: "look_up", args: `{"n":${i + 1}}` };
  });
  const events: AgentEvent[] = [];
  const execute = () =>
    executeToolCalls(calls, {
      onEvent: (event) => events.push(event),
      tools: [{ name: "look_up", description: "Looks up.", parameters: { type: "object" } }],
      traitsOf: () => ({ parallel: true }),
      ...{ executeTool, signal },
    });
  return { execute, events };
}

function numberOf(args: unknown): number {
  return (args as { n: number }).n;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

Deno.test("executeToolCalls: if a call fails on our side, those beside it are aborted", async () => {
  const aborted: unknown[] = [];
  const failure = new Error("the store is gone");
  const { execute } = setUp(3, async (_name, args, { signal }) => {
    if (numberOf(args) === 1) throw failure;
    await untilAborted(signal);
    aborted.push(numberOf(args));
    return {};
  });
  await assertRejects(execute, Error, "the store is gone");
  await Promise.resolve();
  assertEquals(aborted, [2, 3]);
});

Deno.test("executeToolCalls: a later call that fails on our side does not wait for the earlier ones", async () => {
  const aborted: unknown[] = [];
  const { execute } = setUp(3, async (_name, args, { signal }) => {
    if (numberOf(args) === 3) throw new Error("the store is gone");
    await untilAborted(signal);
    aborted.push(numberOf(args));
    return {};
  });
  await assertRejects(execute, Error, "the store is gone");
  assertEquals(aborted, [1, 2]);
});

Deno.test("executeToolCalls: of sixteen calls eight run at once, errors end none, and a stop ends all", async () => {
  const stopping = new AbortController();
  const begun: unknown[] = [];
  let [running, most] = [0, 0];
  const { execute, events } = setUp(16, async (_name, args, { signal }) => {
    begun.push(numberOf(args));
    most = Math.max(most, ++running);
    await Promise.resolve();
    // The second half is stopped while all its calls run.
    if (numberOf(args) === 16) stopping.abort(new Error("stopped"));
    if (numberOf(args) > 8) await untilAborted(signal);
    running--;
    return { error: { code: "tool_failed", message: "no" } };
  }, stopping.signal);
  await execute();
  assertEquals([begun.length, most, running], [16, 8, 0]);
  assertEquals(events.filter(({ type }) => type === "tool_result").length, 16);
});
