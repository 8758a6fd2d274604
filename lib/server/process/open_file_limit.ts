import type { Logger } from "../../platform/log.ts";

/** Enough descriptors for the streams that a default plan allows. */
const RECOMMENDED_OPEN_FILES = 4_096;

/**
 * Warns if the process may open few files: each stream needs a connection to its reader and one to its
 * provider. Only Linux reports the limit; `read` returns the text of `/proc/self/limits`.
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
