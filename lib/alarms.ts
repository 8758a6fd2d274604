/** Long waits end on whole multiples of this, never early. */
const TICK_MS = 50;
/**
 * A timer that rings so late was held up with everything else: a laptop slept, a virtual machine stood
 * still. What was waited for may have come meanwhile, and is handled before anybody gives it up.
 */
const STALLED_MS = 500;

/** The platform's clock and timer, which a test may stand in for. */
export interface AlarmClock {
  /** Milliseconds that never go back. */
  now(): number;
  /** Calls `ring` once after `ms`; the answer calls it off. */
  after(ms: number, ring: () => void): () => void;
}

const PLATFORM: AlarmClock = {
  now: () => performance.now(),
  after: (ms, ring) => {
    const timer = setTimeout(ring, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Waits that share one timer. Of the long waits of a chat (for a vendor, for a reader, for the agent's
 * time to be up) nearly every one is called off, and a timer each cost more than the rest of them.
 */
export class Alarms {
  readonly #clock: AlarmClock;
  readonly #rings = new Map<number, Set<() => void>>();
  #set: { tick: number; callOff: () => void } | undefined;

  constructor(clock: AlarmClock = PLATFORM) {
    this.#clock = clock;
  }

  /**
   * Calls `ring` once, at least `ms` and less than `ms + 50` from now, or 50 ms after the process has
   * stood still; the answer calls it off.
   */
  after(ms: number, ring: () => void): () => void {
    const tick = Math.ceil((this.#clock.now() + ms) / TICK_MS);
    const rings = this.#rings.get(tick) ?? new Set();
    this.#rings.set(tick, rings.add(ring));
    if (this.#set === undefined || tick < this.#set.tick) this.#setFor(tick);
    return () => {
      if (!rings.delete(ring) || rings.size > 0) return;
      if (this.#rings.get(tick) === rings) this.#rings.delete(tick);
      if (this.#rings.size === 0) this.#rest();
    };
  }

  #setFor(tick: number): void {
    this.#set?.callOff();
    const ms = Math.max(0, tick * TICK_MS - this.#clock.now());
    this.#set = { tick, callOff: this.#clock.after(ms, () => this.#wake(tick)) };
  }

  /** Held up again and again, it rings the second time: what never ends must be ended all the same. */
  #wake(tick: number): void {
    if (this.#clock.now() - tick * TICK_MS < STALLED_MS) return this.#ring();
    this.#set = { tick, callOff: this.#clock.after(TICK_MS, () => this.#ring()) };
  }

  #rest(): void {
    this.#set?.callOff();
    this.#set = undefined;
  }

  #ring(): void {
    this.#set = undefined;
    const now = this.#clock.now();
    let next = Infinity;
    const due: Set<() => void>[] = [];
    for (const [tick, rings] of this.#rings) {
      if (tick * TICK_MS > now) next = Math.min(next, tick);
      else {
        this.#rings.delete(tick);
        due.push(rings);
      }
    }
    if (next !== Infinity) this.#setFor(next);
    // One may call off another that is due as well.
    for (const rings of due) for (const ring of [...rings]) if (rings.delete(ring)) ringOne(ring);
  }
}

/** As a timer of its own would: what one throws is the process's matter, and the others ring. */
function ringOne(ring: () => void): void {
  try {
    ring();
  } catch (error) {
    reportError(error);
  }
}
