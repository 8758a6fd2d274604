import type { Runtime } from "../platform/runtime.ts";

/** Tool calls whose durations are stored with a run. */
const MAX_TIMED_CALLS = 200;

/** The tool calls of a run that have no result yet, and how long the others took. */
export class OpenCalls {
  /** Milliseconds, in the order of the results. */
  readonly ms: number[] = [];
  /** The number of the last frame of calls that run beside each other. */
  reservedUntil = 0;
  readonly #runtime: Pick<Runtime, "now">;
  readonly #open: { n: number; startedAt: number }[] = [];
  #last = 0;

  constructor(runtime: Pick<Runtime, "now">) {
    this.#runtime = runtime;
  }

  /** A call with the number `n`, followed by pairs of `others` that run beside it. */
  begin(n: number, others = 0): void {
    this.#last = n;
    this.#open.push({ n, startedAt: this.#runtime.now() });
    if (others > 0) this.reservedUntil = n + 1 + 2 * others;
  }

  /** Ends a call, the latest by default; returns its number if it is not simply the last call. */
  end(n = this.#open.at(-1)?.n): { call?: number } {
    const at = this.#open.findIndex((call) => call.n === n);
    const [ended] = at < 0 ? [] : this.#open.splice(at, 1);
    if (ended === undefined) return {};
    const ms = Math.max(0, this.#runtime.now() - ended.startedAt);
    if (this.ms.length < MAX_TIMED_CALLS) this.ms.push(Math.round(ms));
    return ended.n === this.#last ? {} : { call: ended.n };
  }
}
