import { AsyncLocalStorage } from "node:async_hooks";
import { monotonicNow, type Runtime, setTimer } from "../../platform/runtime.ts";
import { StoreUnavailableError } from "./operation.ts";

const deadlines = new AsyncLocalStorage<StoreDeadline>();

/**
 * How long one request waits for a store that does not answer, over all its calls and retries. The time
 * counts from the last answer that the request got, so a slow store that works is never cut off. Once it
 * has run out, every further call of the request fails at once instead of waiting again.
 */
export class StoreDeadline {
  readonly #runtime: Pick<Runtime, "now" | "sleep">;
  readonly #ms: number;
  readonly #waiting = new Set<(error: Error) => void>();
  /** Milliseconds waited since the last answer, before the present wait. */
  #waitedMs = 0;
  #waitingSince = 0;
  #isArmed = false;
  #callOff: () => void = () => {};
  #isSpent = false;
  #isOver = false;

  constructor({ runtime, ms }: { runtime: Pick<Runtime, "now" | "sleep">; ms: number }) {
    this.#runtime = runtime;
    this.#ms = ms;
  }

  /** True once the deadline has passed: every further call of the request fails at once. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** True once the response has begun: work that continues after it has no deadline. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Answers as `attempt` does, or throws `StoreUnavailableError` when the deadline passes first. */
  wait<T>(attempt: Promise<T>): Promise<T> {
    if (this.#isSpent) {
      attempt.catch(() => {});
      return Promise.reject(notInTime());
    }
    return new Promise<T>((resolve, reject) => {
      this.#enter(reject);
      attempt.then((value) => {
        this.#leave(reject, true);
        resolve(value);
      }, (error) => {
        this.#leave(reject, false);
        reject(error);
      });
    });
  }

  /** Ends it with the response. Calls that are still waiting keep their limit. */
  end(): void {
    this.#isOver = true;
    if (this.#waiting.size === 0) this.#disarm();
  }

  #enter(reject: (error: Error) => void): void {
    if (this.#waiting.size === 0) this.#waitingSince = monotonicNow(this.#runtime);
    this.#waiting.add(reject);
    if (!this.#isArmed) this.#arm();
  }

  #leave(reject: (error: Error) => void, answered: boolean): void {
    if (!this.#waiting.delete(reject)) return;
    const now = monotonicNow(this.#runtime);
    this.#waitedMs = answered ? 0 : this.#waitedMs + now - this.#waitingSince;
    this.#waitingSince = now;
    if (this.#isOver && this.#waiting.size === 0) this.#disarm();
  }

  #leftMs(): number {
    return this.#ms - this.#waitedMs - (monotonicNow(this.#runtime) - this.#waitingSince);
  }

  #arm(): void {
    this.#isArmed = true;
    this.#callOff = setTimer(
      this.#runtime,
      Math.max(0, Math.ceil(this.#leftMs())),
      () => this.#ring(),
    );
  }

  #disarm(): void {
    this.#isArmed = false;
    this.#callOff();
  }

  /** One alarm serves all waits of a request: it is set again where an answer has come meanwhile. */
  #ring(): void {
    this.#isArmed = false;
    if (this.#waiting.size === 0) return;
    if (this.#leftMs() > 0) return this.#arm();
    this.#isSpent = true;
    for (const reject of this.#waiting) reject(notInTime());
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
export function storeDeadline(): StoreDeadline | undefined {
  const deadline = deadlines.getStore();
  return deadline?.isOver === true ? undefined : deadline;
}

/** Awaits `answer` within the current request's deadline; calls `onGivenUp` if the deadline passes first. */
export async function untilDeadline<T>(answer: Promise<T>, onGivenUp: () => void): Promise<T> {
  const deadline = storeDeadline();
  if (deadline === undefined) return await answer;
  try {
    return await deadline.wait(answer);
  } catch (error) {
    if (deadline.isSpent) onGivenUp();
    throw error;
  }
}

function notInTime(): StoreUnavailableError {
  return new StoreUnavailableError("the store did not answer in time");
}
