import type { System } from "../system.ts";

/** Between two attempts on one account: 43,200 a day, of which no uncommon password is guessed. */
const PACE_MS = 2_000;
/** An attempt that would wait longer is refused. */
const MAX_WAIT_MS = 20_000;
/** Attempts on all accounts that may wait. */
const MAX_WAITING = 200;

/** Spaces the attempts on one account out over time. */
export class Pacer {
  readonly #system: Pick<System, "now" | "sleep">;
  /** When the next attempt on an account may begin; past times are dropped. */
  readonly #next = new Map<string, number>();
  #waiting = 0;

  constructor(system: Pick<System, "now" | "sleep">) {
    this.#system = system;
  }

  /** Waits for a turn, then answers 0; or, at once, the milliseconds after which to try again. */
  async wait(name: string): Promise<number> {
    const now = this.#system.now();
    const turn = Math.max(this.#next.get(name) ?? 0, now);
    if (turn - now > MAX_WAIT_MS) return turn - now - MAX_WAIT_MS;
    if (this.#waiting >= MAX_WAITING) return PACE_MS;
    this.#next.set(name, turn + PACE_MS);
    this.#waiting++;
    try {
      if (turn > now) await this.#system.sleep(turn - now);
    } finally {
      this.#waiting--;
      this.#forgetPast();
    }
    return 0;
  }

  /** At most `MAX_WAITING` accounts have a turn in the future, so the map stays small. */
  #forgetPast(): void {
    const now = this.#system.now();
    for (const [name, turn] of this.#next) {
      if (turn <= now) this.#next.delete(name);
    }
  }
}
