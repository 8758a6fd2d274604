import { type Runtime, setTimer } from "../../platform/runtime.ts";
import { StoreUnavailableError } from "./operation.ts";
import { storeDeadline } from "./store_deadline.ts";

const DEFAULT_MS = 5_000;
const BACKOFF_MS = 5;
const MAX_BACKOFF_MS = 80;

/** How long a store is waited for, and how soon it is asked again. */
export class Patience {
  /** Milliseconds. */
  readonly ms: number;
  #runtime: Runtime;

  constructor(runtime: Runtime, ms: number = DEFAULT_MS) {
    this.#runtime = runtime;
    this.ms = ms;
  }

  /** A store that hangs must not hang its callers: they are told `StoreUnavailableError`. */
  async inTime<T>(attempt: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>();
    const callOff = setTimer(this.#runtime, this.ms, () => {
      late.reject(new StoreUnavailableError("the store did not answer in time"));
    });
    try {
      return await Promise.race([attempt, late.promise]);
    } finally {
      callOff();
    }
  }

  /** As `inTime`; what a request asks for waits only as long as the request may wait in all. */
  forCaller<T>(attempt: Promise<T>): Promise<T> {
    return storeDeadline()?.wait(attempt) ?? this.inTime(attempt);
  }

  /** Waits a little longer each time, with jitter so that processes do not go in step. */
  pause(failures: number): Promise<void> {
    const ceiling = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** failures);
    const jitter = this.#runtime.randomBytes(1)[0]! / 255;
    return this.#runtime.sleep(Math.ceil(ceiling * (0.5 + jitter / 2)));
  }
}
