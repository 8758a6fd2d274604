/** Timers expire on multiples of this. */
const DEFAULT_TICK_MS = 50;
/**
 * A timer this late was held up together with the whole process, as when a laptop sleeps. The awaited
 * events may have arrived meanwhile; they are handled before the timers expire.
 */
const SUSPENDED_MS = 500;

/** The clock and timer to build on; tests replace them. */
export interface TimerClock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Calls `callback` once after `ms`. Returns a function that cancels it. */
  setTimer(ms: number, callback: () => void): () => void;
}

const PLATFORM_CLOCK: TimerClock = {
  now: () => performance.now(),
  setTimer: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Timers that share one platform timer. Nearly every long timeout of a chat (for a provider, a reader,
 * the agent's time limit) is cancelled, and one platform timer for each was their largest cost.
 */
export class CoalescedTimers {
  readonly #clock: TimerClock;
  /** Timers expire on multiples of this. */
  readonly #tickMs: number;
  readonly #callbacks = new Map<number, Set<() => void>>();
  #armed: { tick: number; cancel: () => void } | undefined;

  constructor(options: { clock?: TimerClock; tickMs?: number } = {}) {
    this.#clock = options.clock ?? PLATFORM_CLOCK;
    this.#tickMs = options.tickMs ?? DEFAULT_TICK_MS;
  }

  /**
   * Calls `callback` once, at least `ms` and less than one tick more from now, or a tick after the
   * process was suspended. Returns a function that cancels it.
   */
  setTimer(ms: number, callback: () => void): () => void {
    const tick = Math.ceil((this.#clock.now() + ms) / this.#tickMs);
    const callbacks = this.#callbacks.get(tick) ?? new Set();
    this.#callbacks.set(tick, callbacks.add(callback));
    if (this.#armed === undefined || tick < this.#armed.tick) this.#arm(tick);
    return () => {
      if (!callbacks.delete(callback) || callbacks.size > 0) return;
      if (this.#callbacks.get(tick) === callbacks) this.#callbacks.delete(tick);
      if (this.#callbacks.size === 0) this.#disarm();
    };
  }

  #arm(tick: number): void {
    this.#armed?.cancel();
    const ms = Math.max(0, tick * this.#tickMs - this.#clock.now());
    this.#armed = { tick, cancel: this.#clock.setTimer(ms, () => this.#onWake(tick)) };
  }

  /** Waits one more tick after a suspension, but only one: repeated delays must not postpone forever. */
  #onWake(tick: number): void {
    if (this.#clock.now() - tick * this.#tickMs < SUSPENDED_MS) return this.#fire();
    this.#armed = { tick, cancel: this.#clock.setTimer(this.#tickMs, () => this.#fire()) };
  }

  #disarm(): void {
    this.#armed?.cancel();
    this.#armed = undefined;
  }

  #fire(): void {
    this.#armed = undefined;
    const now = this.#clock.now();
    let next = Infinity;
    const due: Set<() => void>[] = [];
    for (const [tick, callbacks] of this.#callbacks) {
      if (tick * this.#tickMs > now) next = Math.min(next, tick);
      else {
        this.#callbacks.delete(tick);
        due.push(callbacks);
      }
    }
    if (next !== Infinity) this.#arm(next);
    // A callback may cancel another one that is due as well.
    for (const callbacks of due) {
      for (const callback of [...callbacks]) if (callbacks.delete(callback)) runCallback(callback);
    }
  }
}

/** Reports an error as a platform timer would, so that the other callbacks still run. */
function runCallback(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    reportError(error);
  }
}
