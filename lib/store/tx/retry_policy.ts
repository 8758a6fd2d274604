import { randomFraction, type Runtime, setTimer } from "../../platform/runtime.ts";
import { StoreUnavailableError } from "./operation.ts";
import { currentStoreDeadline } from "./store_deadline.ts";

const DEFAULT_TIMEOUT_MS = 5_000;
const BACKOFF_MS = 5;
const MAX_BACKOFF_MS = 80;

/** The timeout of calls to the store, and the backoff between retries. */
export class RetryPolicy {
  readonly timeoutMs: number;
  #runtime: Runtime;

  constructor(runtime: Runtime, timeoutMs: number = DEFAULT_TIMEOUT_MS) {
    this.#runtime = runtime;
    this.timeoutMs = timeoutMs;
  }

  /** Settles as `attempt` does; throws `StoreUnavailableError` after the timeout. */
  async withTimeout<T>(attempt: Promise<T>): Promise<T> {
    const timeout = Promise.withResolvers<never>();
    const cancel = setTimer(this.#runtime, this.timeoutMs, () => {
      timeout.reject(new StoreUnavailableError("the store did not answer in time"));
    });
    try {
      return await Promise.race([attempt, timeout.promise]);
    } finally {
      cancel();
    }
  }

  /** Like `withTimeout`, but bounded by the current request's deadline if there is one. */
  withCallerDeadline<T>(attempt: Promise<T>): Promise<T> {
    return currentStoreDeadline()?.wait(attempt) ?? this.withTimeout(attempt);
  }

  /** Waits before a retry: exponential backoff, with jitter so that processes do not retry in step. */
  backOff(failures: number): Promise<void> {
    const ceiling = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** failures);
    return this.#runtime.sleep(Math.ceil(ceiling * (0.5 + randomFraction(this.#runtime) / 2)));
  }
}
