import type { Runtime } from "../platform/runtime.ts";
import { EgressError } from "./egress_error.ts";

/** Bounds one call, redirects and body included. The caller's signal ends it early. */
export class Deadline {
  #controller = new AbortController();
  #timer = new AbortController();
  #caller: AbortSignal;
  #onAbort = () => this.#abort("the call was stopped");

  constructor(
    runtime: Pick<Runtime, "sleep">,
    { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
  ) {
    this.#caller = signal;
    if (signal.aborted) this.#onAbort();
    signal.addEventListener("abort", this.#onAbort, { once: true });
    runtime.sleep(timeoutMs, this.#timer.signal)
      .then(() => this.#abort(`there was no response within ${timeoutMs} ms`), () => {});
  }

  /** Aborts with an `EgressError`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Stops waiting without aborting the signal. */
  clear(): void {
    this.#timer.abort();
    this.#caller.removeEventListener("abort", this.#onAbort);
  }

  #abort(message: string): void {
    this.#controller.abort(new EgressError("tool_timeout", message));
    this.clear();
  }
}
