import type { Logger } from "../../platform/log.ts";

/** Below this a process with the streams that a plan allows by itself runs out of descriptors. */
const RECOMMENDED_OPEN_FILES = 4_096;

/**
 * Says so when the system lets this process open few files: each stream is a connection to its reader
 * and one to its vendor. Only Linux tells; `read` gives the text of `/proc/self/limits`.
 */
export async function warnOfLowFileLimit(
  log: Logger,
  read: () => Promise<string> = () => Deno.readTextFile("/proc/self/limits"),
): Promise<void> {
  const limits = await read().catch(() => "");
  const [, soft, hard] = /^Max open files +(\d+) +(\d+|unlimited)/m.exec(limits) ?? [];
  if (soft === undefined || Number(soft) >= RECOMMENDED_OPEN_FILES) return;
  log.warn("this process may open few files: the limit must exceed twice the streams", {
    limit: Number(soft),
    hardLimit: hard,
    enough: RECOMMENDED_OPEN_FILES,
  });
}
