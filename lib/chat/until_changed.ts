import type { RunLogStore } from "../storage/run_log_store.ts";
import type { Runtime } from "../system.ts";

/** Between two looks at a log that another process writes, which stores 4 times a second at most. */
const LOOK_MS = 250;

/** Until the store has part `next` of a run's log or its end, or for a while; or it is called off. */
export async function waitForChange(
  run: { tenant: string; runId: string; next: number },
  { store, system, signal }: { store: RunLogStore; system: Runtime; signal?: AbortSignal },
): Promise<void> {
  const waiting = new AbortController();
  const either = signal === undefined ? waiting.signal : AbortSignal.any([signal, waiting.signal]);
  const late = system.sleep(LOOK_MS, either).catch(() => {});
  const told = store.waitForChange(run, either).catch(() => late);
  try {
    await Promise.race([late, told]);
  } finally {
    waiting.abort();
  }
}
