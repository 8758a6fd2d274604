import type { Runtime } from "@/lib/platform/runtime.ts";

/** Shorter sleeps only pace output; longer ones are timeouts. */
const PACING_MS = 100;

/** A frozen clock, and runs that pause after their first word until released. */
export interface PausableRuntime {
  readonly runtime: Pick<Runtime, "now" | "sleep">;
  /** Lets every run continue to its end. */
  release(): void;
  /** Pauses runs again. */
  hold(): void;
  advance(ms: number): void;
}

/**
 * Time for tests of concurrent runs. A sleep with a signal is pacing or a timeout; a sleep without one
 * is a pause between attempts, which ends immediately.
 */
export function pausableRuntime(start = Date.UTC(2026, 0, 15, 12)): PausableRuntime {
  let now = start;
  let gate = Promise.withResolvers<void>();
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal === undefined) return Promise.resolve();
    if (signal.aborted) return Promise.reject(signal.reason);
    const aborted = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => aborted.reject(signal.reason), { once: true });
    return ms < PACING_MS ? Promise.race([gate.promise, aborted.promise]) : aborted.promise;
  };
  return {
    runtime: { now: () => now, sleep },
    release: () => gate.resolve(),
    hold: () => gate = Promise.withResolvers<void>(),
    advance: (ms) => now += ms,
  };
}
