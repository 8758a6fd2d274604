import type { Runtime } from "./runtime.ts";

/** Interval between attempts on one account: 43,200 a day, too few to guess an uncommon password. */
const PACE_MS = 2_000;
/** Attempts that would wait longer are rejected. */
const MAX_WAIT_MS = 20_000;
/** Maximum waiting attempts across all accounts. */
const MAX_WAITING = 200;

/** Enforces a minimum interval between attempts on one account. */
export class Throttle {
  readonly #runtime: Pick<Runtime, "now" | "sleep">;
  /** When the next attempt on an account may begin; past times are dropped. */
  readonly #next = new Map<string, number>();
  #waiting = 0;

  constructor(runtime: Pick<Runtime, "now" | "sleep">) {
    this.#runtime = runtime;
  }

  /** Waits for a turn, then returns 0; returns the retry delay in ms if the queue is full. */
  async wait(name: string): Promise<number> {
    const now = this.#runtime.now();
    const turn = Math.max(this.#next.get(name) ?? 0, now);
    if (turn - now > MAX_WAIT_MS) return turn - now - MAX_WAIT_MS;
    if (this.#waiting >= MAX_WAITING) return PACE_MS;
    this.#next.set(name, turn + PACE_MS);
    this.#waiting++;
    try {
      if (turn > now) await this.#runtime.sleep(turn - now);
    } finally {
      this.#waiting--;
      this.#forgetPast();
    }
    return 0;
  }

  /** At most `MAX_WAITING` accounts have a turn in the future, so the map stays small. */
  #forgetPast(): void {
    const now = this.#runtime.now();
    for (const [name, turn] of this.#next) {
      if (turn <= now) this.#next.delete(name);
    }
  }
}
