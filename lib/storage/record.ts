import type { z } from "zod";
import { invalid } from "../errors.ts";

/** A stored value that no version of this code can have written. */
export class CorruptRecordError extends Error {
  override name = "CorruptRecordError";
}

/**
 * Parses a stored value: records outlive deploys, so each carries `v` and is checked on read.
 * The message names the key and the path at fault, never the value, which may be personal.
 */
export function parseRecord<T extends z.ZodType>(
  schema: T,
  entry: Deno.KvEntryMaybe<unknown>,
): z.infer<T> | undefined {
  if (entry.versionstamp === null) return undefined;
  const parsed = schema.safeParse(entry.value);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues.map((issue) => issue.path.join(".")).join(", ");
  throw new CorruptRecordError(
    `stored record ${String(entry.key[0])} is not readable at: ${where}`,
  );
}

/**
 * Commits and tells whether every check held. The store takes values of at most 64 KiB, which a body
 * within every field's bounds can exceed: that is the caller's fault to mend, so a 400.
 */
export async function commitRecord(change: Deno.AtomicOperation): Promise<boolean> {
  try {
    return (await change.commit()).ok;
  } catch (error) {
    if (!(error instanceof TypeError) || !error.message.startsWith("Value too large")) throw error;
    throw invalid([{ path: "", code: "too_large", message: "is larger than 64 KiB as a whole" }]);
  }
}

/** Tries a check-and-set until it commits; `attempt` returns `undefined` when it lost a race. */
export async function untilCommitted<T>(
  attempt: () => Promise<T | undefined>,
  options: { what: string; tries?: number },
): Promise<T> {
  for (let n = options.tries ?? 100; n > 0; n--) {
    const done = await attempt();
    if (done !== undefined) return done;
  }
  throw new Error(`gave up on a contended record: ${options.what}`);
}
