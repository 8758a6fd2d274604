import type { AgentRunOptions } from "../agent/agent_run_options.ts";
import type { CallWait } from "../agent/held_call.ts";
import { type Runtime, setTimer } from "../platform/runtime.ts";
import { canAnswerCalls } from "../schemas/chat_protocol.ts";
import type { RunFacts } from "../store/runs/run_record.ts";
import type { Run } from "./run.ts";
import type { RunRegistry } from "./run_registry.ts";

/** How long a call waits unless its tool says otherwise. */
const WAIT_MS = 60_000;
/** What is left of the run's time when a wait ends, so that the model can still answer. */
const MAX_RESERVE_MS = 10_000;
const RESERVE_SHARE = 1 / 4;
/** A call with effects that is not stored by then is not made. */
const STORE_TIMEOUT_MS = 5_000;

/** What the agent loop needs for calls that wait, and for calls that must not be lost in a crash. */
export function callsOf(
  run: Run,
  { facts, wallClockMs, deps: { runs, runtime } }: {
    facts: RunFacts;
    wallClockMs: number;
    deps: { runs: RunRegistry; runtime: Runtime };
  },
): Pick<AgentRunOptions, "holdCall" | "whenStored" | "runId"> {
  const { tenant, runId, agentId, conversationId, source: { protocol } } = facts;
  const reserveMs = Math.min(MAX_RESERVE_MS, wallClockMs * RESERVE_SHARE);
  // Waiting is a part of the run's time: its slot and its reservation end with it.
  const until = runtime.now() + wallClockMs - reserveMs;
  return {
    runId,
    async holdCall(name, wait) {
      if (wait.for !== "person" && !canAnswerCalls(protocol)) return undefined;
      const expiresAt = Math.floor(Math.min(runtime.now() + timeoutOf(wait), until));
      const { for: waitsFor, output } = wait;
      const of = { runId, agentId, conversationId, name, n: run.nextCall(), waitsFor, expiresAt };
      const call = { ...of, ...output !== undefined && { output: { ...output } } };
      const held = await runs.calls.hold(tenant, call, run.signal);
      // The client's format may end its stream here, and people decide without following the run.
      run.followers.enter();
      const answer = held.answer.finally(() => run.followers.leave());
      return { ...held, answer };
    },
    async whenStored(n) {
      const late = new AbortController();
      const cancelTimer = setTimer(runtime, STORE_TIMEOUT_MS, () => late.abort());
      const signal = AbortSignal.any([run.signal, late.signal]);
      return await runs.whenStored(run, n, signal).finally(cancelTimer);
    },
  };
}

function timeoutOf({ timeoutMs = WAIT_MS }: CallWait): number {
  return timeoutMs;
}
