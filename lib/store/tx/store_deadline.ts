import { AsyncLocalStorage } from "node:async_hooks";
import { monotonicNow, type Runtime, setTimer } from "../../platform/runtime.ts";
import { StoreUnavailableError } from "./operation.ts";

const deadlines = new AsyncLocalStorage<StoreDeadline>();

/**
 * Bounds how long one request waits for an unresponsive store, over all its calls and retries. The time
 * counts from the last response that the request got, so a slow store that works never times out. After
 * the deadline every further call of the request fails at once.
 */
export class StoreDeadline {
  readonly #runtime: Pick<Runtime, "now" | "sleep">;
  readonly #ms: number;
  readonly #waiting = new Set<(error: Error) => void>();
  /** Milliseconds waited since the last response, before the current wait. */
  #waitedMs = 0;
  #waitingSince = 0;
  #isTimerSet = false;
  #cancelTimer: () => void = () => {};
  #isExpired = false;
  #hasEnded = false;

  constructor({ runtime, ms }: { runtime: Pick<Runtime, "now" | "sleep">; ms: number }) {
    this.#runtime = runtime;
    this.#ms = ms;
  }

  /** True once the deadline has passed: every further call of the request fails at once. */
  get isExpired(): boolean {
    return this.#isExpired;
  }

  /** True once the response has begun: work that continues after it has no deadline. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Settles as `attempt` does, or throws `StoreUnavailableError` when the deadline passes first. */
  wait<T>(attempt: Promise<T>): Promise<T> {
    if (this.#isExpired) {
      attempt.catch(() => {});
      return Promise.reject(timeoutError());
    }
    return new Promise<T>((resolve, reject) => {
      this.#startWait(reject);
      attempt.then((value) => {
        this.#endWait(reject, true);
        resolve(value);
      }, (error) => {
        this.#endWait(reject, false);
        reject(error);
      });
    });
  }

  /** Ends the deadline when the response begins. Calls that are still waiting keep their limit. */
  end(): void {
    this.#hasEnded = true;
    if (this.#waiting.size === 0) this.#clearTimer();
  }

  #startWait(reject: (error: Error) => void): void {
    if (this.#waiting.size === 0) this.#waitingSince = monotonicNow(this.#runtime);
    this.#waiting.add(reject);
    if (!this.#isTimerSet) this.#setTimer();
  }

  #endWait(reject: (error: Error) => void, answered: boolean): void {
    if (!this.#waiting.delete(reject)) return;
    const now = monotonicNow(this.#runtime);
    this.#waitedMs = answered ? 0 : this.#waitedMs + now - this.#waitingSince;
    this.#waitingSince = now;
    if (this.#hasEnded && this.#waiting.size === 0) this.#clearTimer();
  }

  #remainingMs(): number {
    return this.#ms - this.#waitedMs - (monotonicNow(this.#runtime) - this.#waitingSince);
  }

  #setTimer(): void {
    this.#isTimerSet = true;
    const ms = Math.max(0, Math.ceil(this.#remainingMs()));
    this.#cancelTimer = setTimer(this.#runtime, ms, () => this.#onTimer());
  }

  #clearTimer(): void {
    this.#isTimerSet = false;
    this.#cancelTimer();
  }

  /** One timer serves all waits of a request; it is set again if a response arrived meanwhile. */
  #onTimer(): void {
    this.#isTimerSet = false;
    if (this.#waiting.size === 0) return;
    if (this.#remainingMs() > 0) return this.#setTimer();
    this.#isExpired = true;
    for (const reject of this.#waiting) reject(timeoutError());
    this.#waiting.clear();
  }
}

/** Runs `work`, the work of one request, under its own deadline, which ends with the response. */
export async function withStoreDeadline<T>(
  options: { runtime: Pick<Runtime, "now" | "sleep">; ms: number },
  work: () => Promise<T>,
): Promise<T> {
  const deadline = new StoreDeadline(options);
  try {
    return await deadlines.run(deadline, work);
  } finally {
    deadline.end();
  }
}

/** The deadline of the request whose response has not begun; `undefined` for all other work. */
export function currentStoreDeadline(): StoreDeadline | undefined {
  const deadline = deadlines.getStore();
  return deadline?.hasEnded === true ? undefined : deadline;
}

/** Awaits `result` within the current request's deadline; calls `onTimeout` if the deadline passes first. */
export async function awaitWithinDeadline<T>(
  result: Promise<T>,
  onTimeout: () => void,
): Promise<T> {
  const deadline = currentStoreDeadline();
  if (deadline === undefined) return await result;
  try {
    return await deadline.wait(result);
  } catch (error) {
    if (deadline.isExpired) onTimeout();
    throw error;
  }
}

function timeoutError(): StoreUnavailableError {
  return new StoreUnavailableError("the store did not answer in time");
}
