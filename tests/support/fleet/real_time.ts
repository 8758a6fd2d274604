import { systemRuntime } from "@/lib/platform/runtime.ts";

/** Interval between polls of a condition and between a client's retries, milliseconds. */
const PAUSE_MS = 250;
/** Tolerance beyond a condition's time limit, for one more poll and a busy machine; milliseconds. */
const GRACE_MS = 2_000;

/** The clock of a fleet of real processes. */
export class RealTime {
  now(): number {
    return Date.now();
  }

  pass(ms: number): Promise<void> {
    return systemRuntime.sleep(ms);
  }

  async within(ms: number, condition: () => Promise<boolean>): Promise<void> {
    const end = Date.now() + ms + GRACE_MS;
    while (!await condition()) {
      if (Date.now() > end) throw new Error(`not within ${ms} ms: ${condition}`);
      await this.pause();
    }
  }

  pause(): Promise<void> {
    return systemRuntime.sleep(PAUSE_MS);
  }
}
