import type { Runtime } from "@/lib/platform/runtime.ts";

/** Shorter sleeps only pace what a person watches; longer ones are limits on time. */
const PACING_MS = 100;

/** A clock that stands, and runs that go no further than their first word until they may. */
export interface PausableRuntime {
  readonly runtime: Pick<Runtime, "now" | "sleep">;
  /** Lets every run go on to its end. */
  release(): void;
  /** From now on runs stand still again. */
  hold(): void;
  advance(ms: number): void;
}

/**
 * Time for tests of what happens at once. What can be called off is a run's pace or a limit on time;
 * a sleep that cannot be is a pause between two tries, and over at once.
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
