import { setTimeout as delay } from "node:timers/promises";
import type { Usage } from "./leg.ts";

const INTERVAL_MS = 200;
/** A fleet that is not quiet by then is measured as it is. */
const MAX_MS = 1_500;
/** CPU of an interval, of all processes, where the store's calls are not counted. */
const QUIET_CPU_MS = 30;

/** Waits until a fleet has finished the chats that the end of a leg cut, at most `MAX_MS`. */
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
