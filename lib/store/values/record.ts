import type { z } from "zod";
import { isTooLarge } from "../tx/store_error.ts";
import { ApiError } from "../../schemas/api_error.ts";

/** A stored value that no version of this code can have written. */
export class CorruptRecordError extends Error {
  override name = "CorruptRecordError";
}

/** A value that is read from memory time and again is parsed once. */
const parsedValues = new WeakMap<object, { schema: z.ZodType; data: unknown }>();

/**
 * Parses a stored value: records outlive deploys, so each carries `v` and is checked on read.
 * What it answers may be shared: never change it in place. The message names the key and the path at fault, never the value, which may be personal.
 */
export function parseRecord<T extends z.ZodType>(
  schema: T,
  entry: Deno.KvEntryMaybe<unknown>,
): z.infer<T> | undefined {
  if (entry.versionstamp === null) return undefined;
  const { value } = entry;
  const shared = typeof value === "object" && value !== null ? value : undefined;
  const known = shared && parsedValues.get(shared);
  if (known !== undefined && known.schema === schema) return known.data as z.infer<T>;
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    if (shared) parsedValues.set(shared, { schema, data: parsed.data });
    return parsed.data;
  }
  const where = parsed.error.issues.map((issue) => issue.path.join(".")).join(", ");
  throw new CorruptRecordError(
    `stored record ${String(entry.key[0])} is not readable at: ${where}`,
  );
}

/**
 * Commits the change that makes `made`, and tells whether every check held. Whoever hands one in may
 * add to the change, so that both are made or neither.
 */
export type CommitStep<T> = (change: Deno.AtomicOperation, made: T) => Promise<boolean>;

/**
 * Commits and tells whether every check held. One step writes at most 800 KB: what is larger is the
 * caller's to mend, so a 413.
 */
export async function commitStep(change: Deno.AtomicOperation): Promise<boolean> {
  try {
    return (await change.commit()).ok;
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    throw new ApiError("payload_too_large", "this is larger than the store takes in one step");
  }
}

/** Tries a check-and-set until it commits; `attempt` returns `undefined` when it lost a race. */
export async function retryUntilCommitted<T>(
  attempt: () => Promise<T | undefined>,
  options: { what: string; tries?: number },
): Promise<T> {
  for (let n = options.tries ?? 100; n > 0; n--) {
    const done = await attempt();
    if (done !== undefined) return done;
  }
  throw new Error(`gave up on a contended record: ${options.what}`);
}
