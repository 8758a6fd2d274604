import type { Runtime } from "../../platform/runtime.ts";

/** Tool calls whose durations are stored with a run. */
const MAX_TIMED_CALLS = 200;

/** The tool calls of a run that have no result yet, and how long the others took. */
export class OpenCalls {
  /** The number of the last frame of calls that run beside each other. */
  reservedUntil = 0;
  readonly #runtime: Pick<Runtime, "now">;
  readonly #open: { n: number; at: number; startedAt: number }[] = [];
  /** Milliseconds, in the order of the calls; `undefined` for one that is open. */
  readonly #ms: (number | undefined)[] = [];
  #last = 0;
  /** When the calls that run beside each other were made, before the events of all but the first. */
  #reservedAt = 0;

  constructor(runtime: Pick<Runtime, "now">) {
    this.#runtime = runtime;
  }

  /** A call with the number `n`, followed by pairs of `others` that run beside it. */
  begin(n: number, others = 0): void {
    const now = this.#runtime.now();
    const startedAt = n < this.reservedUntil ? this.#reservedAt : now;
    this.#last = n;
    this.#open.push({ n, at: this.#ms.length, startedAt });
    this.#ms.push(undefined);
    if (others === 0) return;
    this.reservedUntil = n + 1 + 2 * others;
    this.#reservedAt = now;
  }

  /** Ends a call, the latest by default; returns its number if it is not simply the last call. */
  end(n = this.#open.at(-1)?.n): { call?: number } {
    const at = this.#open.findIndex((call) => call.n === n);
    const [ended] = at < 0 ? [] : this.#open.splice(at, 1);
    if (ended === undefined) return {};
    const ms = Math.max(0, this.#runtime.now() - ended.startedAt);
    this.#ms[ended.at] = Math.round(ms);
    return ended.n === this.#last ? {} : { call: ended.n };
  }

  /** How long the first calls took, milliseconds, up to one that has no result. */
  get ms(): number[] {
    const end = this.#ms.indexOf(undefined);
    return this.#ms.slice(
      0,
      end < 0 ? MAX_TIMED_CALLS : Math.min(end, MAX_TIMED_CALLS),
    ) as number[];
  }
}
