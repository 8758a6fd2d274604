import { type Runtime, systemRuntime } from "@/lib/platform/runtime.ts";

/** Factor by which short sleeps are shortened. */
const SPEED = 25;
/** Longer sleeps are timeouts and are not shortened. */
const SHORT_MS = 1_000;

/** The real runtime, in which logs are written and polled 25 times as often. */
export const acceleratedRuntime: Pick<Runtime, "sleep"> = {
  sleep: (ms, signal) => systemRuntime.sleep(ms > SHORT_MS ? ms : ms / SPEED, signal),
};
