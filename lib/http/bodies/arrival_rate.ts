import { monotonicNow, type Runtime, setTimer } from "../../platform/runtime.ts";

export interface MinimumRate {
  /** Minimum average rate over each window; the first window is a grace period. */
  bytesPerSecond: number;
  windowMs: number;
  totalMs: number;
}

/**
 * For JSON and forms; a body of up to 40 KiB has 10 seconds. 4 KiB/s is half of what a mobile plan
 * throttled to 64 kbit/s still sends, and a third of an EDGE uplink; over these windows a connection may
 * also stall for seconds, as in a handover between cells.
 */
export const BODY_RATE = { bytesPerSecond: 4 * 1024, windowMs: 10_000, totalMs: 60_000 };
/** For documents: 20 MiB over an EDGE uplink take half an hour. */
export const UPLOAD_RATE = { ...BODY_RATE, windowMs: 20_000, totalMs: 30 * 60_000 };

/** Steps of the sliding window. */
const STEPS = 4;

/**
 * A limit on the total time alone would reject honest slow connections, or let a sender occupy a
 * place for minutes at a byte a second.
 */
export class ArrivalRateMonitor {
  readonly #runtime: Pick<Runtime, "now" | "sleep">;
  readonly #minimum: MinimumRate;
  readonly #start: number;
  readonly #tooSlow = Promise.withResolvers<"too_slow">();
  /** Resolves if the body arrives too slowly; otherwise never settles. */
  readonly tooSlow: Promise<"too_slow"> = this.#tooSlow.promise;
  /** Received bytes by step since the start; older steps than one window are dropped. */
  readonly #bytesByStep = new Map<number, number>();
  #cancelTimer: () => void;

  constructor(runtime: Pick<Runtime, "now" | "sleep">, minimum: MinimumRate) {
    this.#runtime = runtime;
    this.#minimum = minimum;
    this.#start = monotonicNow(runtime);
    this.#cancelTimer = this.#scheduleCheck(minimum.windowMs);
  }

  addBytes(bytes: number): void {
    const step = this.#step();
    this.#bytesByStep.set(step, (this.#bytesByStep.get(step) ?? 0) + bytes);
  }

  stop(): void {
    this.#cancelTimer();
  }

  #scheduleCheck(ms: number): () => void {
    return setTimer(this.#runtime, ms, () => {
      if (this.#isTooSlow()) this.#tooSlow.resolve("too_slow");
      else this.#cancelTimer = this.#scheduleCheck(this.#minimum.windowMs / STEPS);
    });
  }

  #isTooSlow(): boolean {
    const { bytesPerSecond, windowMs, totalMs } = this.#minimum;
    if (monotonicNow(this.#runtime) - this.#start >= totalMs) return true;
    const first = this.#step() - STEPS;
    for (const step of this.#bytesByStep.keys()) if (step < first) this.#bytesByStep.delete(step);
    const received = this.#bytesByStep.values().reduce((sum, bytes) => sum + bytes, 0);
    return received < bytesPerSecond * windowMs / 1000;
  }

  #step(): number {
    return Math.floor((monotonicNow(this.#runtime) - this.#start) * STEPS / this.#minimum.windowMs);
  }
}
