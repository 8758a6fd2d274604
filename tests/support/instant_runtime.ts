import type { Runtime } from "@/lib/platform/runtime.ts";

/** Shorter sleeps only pace what a person watches; longer ones are limits on time. */
const PACING_MS = 100;

/** A clock that stands until it is told to move, and sleeps that cost nothing. */
export interface InstantRuntime {
  readonly runtime: Pick<Runtime, "now" | "sleep">;
  advance(ms: number): void;
}

/**
 * Time for tests: pacing is over at once, and what waits for a limit to pass (a heartbeat, an
 * agent's time, an abandoned run) waits until it is called off.
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
