import type { Runtime } from "../platform/runtime.ts";
import { EgressError } from "./egress_error.ts";

/** Bounds one call, redirects and body included. */
export interface Deadline {
  /** Aborts with an `EgressError`. */
  signal: AbortSignal;
  /** Stops waiting without aborting the signal. */
  clear(): void;
}

/** The caller's signal ends it early. */
export function startDeadline(
  runtime: Pick<Runtime, "sleep">,
  { timeoutMs, signal: caller }: { timeoutMs: number; signal: AbortSignal },
): Deadline {
  const controller = new AbortController();
  const timer = new AbortController();
  const clear = () => {
    timer.abort();
    caller.removeEventListener("abort", onAbort);
  };
  const abort = (message: string) => {
    controller.abort(new EgressError("tool_timeout", message));
    clear();
  };
  const onAbort = () => abort("the call was stopped");
  if (caller.aborted) onAbort();
  else caller.addEventListener("abort", onAbort, { once: true });
  runtime.sleep(timeoutMs, timer.signal)
    .then(() => abort(`there was no response within ${timeoutMs} ms`), () => {});
  return { signal: controller.signal, clear };
}
