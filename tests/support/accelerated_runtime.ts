import { type Runtime, systemRuntime } from "@/lib/platform/runtime.ts";

/** How much faster the service's short waits are over. */
const SPEED = 25;
/** Longer waits are limits on time, and stay as they are. */
const SHORT_MS = 1_000;

/** The real world, in which logs are stored and looked at 25 times as often as they would be. */
export const acceleratedRuntime: Pick<Runtime, "sleep"> = {
  sleep: (ms, signal) => systemRuntime.sleep(ms > SHORT_MS ? ms : ms / SPEED, signal),
};
