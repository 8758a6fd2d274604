import type { Runtime } from "@/lib/platform/runtime.ts";

/** Shorter sleeps only pace output; longer ones are timeouts. */
const PACING_MS = 100;

/** A clock that the test moves, and short sleeps that end immediately. */
export interface InstantRuntime {
  readonly runtime: Pick<Runtime, "now" | "sleep">;
  advance(ms: number): void;
}

/**
 * Time for tests: pacing ends immediately, and timeouts (a heartbeat, an agent's time limit, an
 * orphaned run) wait until they are aborted.
 */
export function instantRuntime(start = Date.UTC(2026, 0, 15, 12)): InstantRuntime {
  let now = start;
  return {
    runtime: { now: () => now, sleep },
    advance: (ms) => now += ms,
  };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  if (ms < PACING_MS) return Promise.resolve();
  return new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
