import { setTimeout as delay } from "node:timers/promises";
import type { Usage } from "./leg.ts";

const INTERVAL_MS = 200;
/** After this time the measurement starts even if the fleet is not quiet. */
const MAX_MS = 1_500;
/** Maximum CPU of all processes in an interval, if calls of the store are not counted. */
const QUIET_CPU_MS = 30;

/** Waits until a fleet has finished the chats that the end of a leg cut off, at most `MAX_MS`. */
export async function untilQuiet(usage: () => Promise<Usage>): Promise<void> {
  const end = performance.now() + MAX_MS;
  let before = structuredClone(await usage());
  while (performance.now() < end) {
    await delay(INTERVAL_MS);
    const now = structuredClone(await usage());
    const isQuiet = now.store
      ? now.store.commits === before.store!.commits
      : now.cpuMs - before.cpuMs < QUIET_CPU_MS;
    if (isQuiet) return;
    before = now;
  }
}
