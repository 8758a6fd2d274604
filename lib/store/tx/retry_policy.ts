import { type Runtime, setTimer } from "../../platform/runtime.ts";
import { StoreUnavailableError } from "./operation.ts";
import { currentStoreDeadline } from "./store_deadline.ts";

const DEFAULT_TIMEOUT_MS = 5_000;
const BACKOFF_MS = 5;
const MAX_BACKOFF_MS = 80;

/** How long a store is waited for, and how soon it is asked again. */
export class RetryPolicy {
  /** Milliseconds. */
  readonly timeoutMs: number;
  #runtime: Runtime;

  constructor(runtime: Runtime, ms: number = DEFAULT_TIMEOUT_MS) {
    this.#runtime = runtime;
    this.timeoutMs = ms;
  }

  /** A store that hangs must not hang its callers: they are told `StoreUnavailableError`. */
  async withTimeout<T>(attempt: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>();
    const callOff = setTimer(this.#runtime, this.timeoutMs, () => {
      late.reject(new StoreUnavailableError("the store did not answer in time"));
    });
    try {
      return await Promise.race([attempt, late.promise]);
    } finally {
      callOff();
    }
  }

  /** As `inTime`; what a request asks for waits only as long as the request may wait in all. */
  withCallerDeadline<T>(attempt: Promise<T>): Promise<T> {
    return currentStoreDeadline()?.wait(attempt) ?? this.withTimeout(attempt);
  }

  /** Waits a little longer each time, with jitter so that processes do not go in step. */
  backOff(failures: number): Promise<void> {
    const ceiling = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** failures);
    const jitter = this.#runtime.randomBytes(1)[0]! / 255;
    return this.#runtime.sleep(Math.ceil(ceiling * (0.5 + jitter / 2)));
  }
}
