/** Long waits end on whole multiples of this, never early. */
const TICK_MS = 50;
/**
 * A timer that rings so late was held up with everything else: a laptop slept, a virtual machine stood
 * still. What was waited for may have come meanwhile, and is handled before anybody gives it up.
 */
const SUSPENDED_MS = 500;

/** The platform's clock and timer, which a test may stand in for. */
export interface TimerClock {
  /** Milliseconds that never go back. */
  now(): number;
  /** Calls `ring` once after `ms`; the answer calls it off. */
  setTimer(ms: number, ring: () => void): () => void;
}

const PLATFORM_CLOCK: TimerClock = {
  now: () => performance.now(),
  setTimer: (ms, ring) => {
    const timer = setTimeout(ring, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Waits that share one timer. Of the long waits of a chat (for a vendor, for a reader, for the agent's
 * time to be up) nearly every one is called off, and a timer each cost more than the rest of them.
 */
export class CoalescedTimers {
  readonly #clock: TimerClock;
  readonly #callbacks = new Map<number, Set<() => void>>();
  #armed: { tick: number; callOff: () => void } | undefined;

  constructor(clock: TimerClock = PLATFORM_CLOCK) {
    this.#clock = clock;
  }

  /**
   * Calls `ring` once, at least `ms` and less than `ms + 50` from now, or 50 ms after the process has
   * stood still; the answer calls it off.
   */
  setTimer(ms: number, ring: () => void): () => void {
    const tick = Math.ceil((this.#clock.now() + ms) / TICK_MS);
    const rings = this.#callbacks.get(tick) ?? new Set();
    this.#callbacks.set(tick, rings.add(ring));
    if (this.#armed === undefined || tick < this.#armed.tick) this.#arm(tick);
    return () => {
      if (!rings.delete(ring) || rings.size > 0) return;
      if (this.#callbacks.get(tick) === rings) this.#callbacks.delete(tick);
      if (this.#callbacks.size === 0) this.#disarm();
    };
  }

  #arm(tick: number): void {
    this.#armed?.callOff();
    const ms = Math.max(0, tick * TICK_MS - this.#clock.now());
    this.#armed = { tick, callOff: this.#clock.setTimer(ms, () => this.#onWake(tick)) };
  }

  /** Held up again and again, it rings the second time: what never ends must be ended all the same. */
  #onWake(tick: number): void {
    if (this.#clock.now() - tick * TICK_MS < SUSPENDED_MS) return this.#fire();
    this.#armed = { tick, callOff: this.#clock.setTimer(TICK_MS, () => this.#fire()) };
  }

  #disarm(): void {
    this.#armed?.callOff();
    this.#armed = undefined;
  }

  #fire(): void {
    this.#armed = undefined;
    const now = this.#clock.now();
    let next = Infinity;
    const due: Set<() => void>[] = [];
    for (const [tick, rings] of this.#callbacks) {
      if (tick * TICK_MS > now) next = Math.min(next, tick);
      else {
        this.#callbacks.delete(tick);
        due.push(rings);
      }
    }
    if (next !== Infinity) this.#arm(next);
    // One may call off another that is due as well.
    for (const rings of due) {
      for (const ring of [...rings]) if (rings.delete(ring)) runCallback(ring);
    }
  }
}

/** As a timer of its own would: what one throws is the process's matter, and the others ring. */
function runCallback(ring: () => void): void {
  try {
    ring();
  } catch (error) {
    reportError(error);
  }
}
