import type { z } from "zod";
import { isTooLargeError } from "../tx/store_error.ts";
import { ApiError } from "../../schemas/api_error.ts";

/** A stored value that no version of this code can have written. */
export class CorruptRecordError extends Error {
  override name = "CorruptRecordError";
}

/** A value that is read from memory repeatedly is parsed once. */
const parsedValues = new WeakMap<object, { schema: z.ZodType; data: unknown }>();

/**
 * Parses a stored value: records outlive deploys, so each carries `v` and is checked on read. The result
 * may be shared: never change it in place. Throws `CorruptRecordError`, which names the key and the
 * path but never the value, because that may be personal.
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

/** All records under a prefix, in key order. */
export async function listRecords<T extends z.ZodType>(
  kv: Deno.Kv,
  prefix: Deno.KvKey,
  schema: T,
): Promise<z.infer<T>[]> {
  return await Array.fromAsync(kv.list({ prefix }), (entry) => parseRecord(schema, entry)!);
}

/** A part of the records under a prefix, in the order of their keys. */
export interface PartRequest {
  /** Rows to skip. */
  offset: number;
  limit: number;
}

/** Like `listRecords`, but reads only a part; with `reverse`, the last key first. */
export async function listRecordsPart<T extends z.ZodType>(
  kv: Deno.Kv,
  prefix: Deno.KvKey,
  { schema, part: { offset, limit }, reverse = false }: {
    schema: T;
    part: PartRequest;
    reverse?: boolean;
  },
): Promise<z.infer<T>[]> {
  const options = { limit: offset + limit, batchSize: Math.min(500, offset + limit), reverse };
  const entries = await Array.fromAsync(kv.list({ prefix }, options));
  return entries.slice(offset).map((entry) => parseRecord(schema, entry)!);
}

/** Oldest first; records of the same time are ordered by id. */
export function byCreation<T extends { createdAt: number; id: string }>(a: T, b: T): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

/**
 * Commits the step that creates or changes `result`; false if a check failed. A caller that passes its
 * own can add to the step, so that both are stored or neither.
 */
export type CommitStep<T> = (step: Deno.AtomicOperation, result: T) => Promise<boolean>;

/** Commits a step; false if a check failed. Throws `ApiError` 413 for more than the 800 KB of one step. */
export async function commitStep(step: Deno.AtomicOperation): Promise<boolean> {
  try {
    return (await step.commit()).ok;
  } catch (error) {
    if (!isTooLargeError(error)) throw error;
    throw new ApiError("payload_too_large", "this is larger than the store takes in one step");
  }
}

/** Repeats a check-and-set until it commits; `attempt` returns `undefined` when a check failed. */
export async function retryUntilCommitted<T>(
  attempt: () => Promise<T | undefined>,
  options: { what: string; tries?: number },
): Promise<T> {
  for (let n = options.tries ?? 100; n > 0; n--) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new Error(`gave up on a contended record: ${options.what}`);
}

/** Where one record is stored, and its name in the error when retries run out. */
export interface RecordLocation<T extends z.ZodType> {
  key: Deno.KvKey;
  schema: T;
  what: string;
  tries?: number;
}

/** Stores the record, or deletes it if `value` is undefined. Returns the step: more can be added to it. */
export type SaveRecord = (
  value: unknown,
  options?: { expireIn?: number },
) => Deno.AtomicOperation;

export type RecordChange<T extends z.ZodType, R> = (
  record: z.infer<T> | undefined,
  save: SaveRecord,
) => R;

/**
 * Changes one record by check-and-set, repeated until it commits. Returns what `change` returns; without
 * a call of `save` nothing is written.
 */
export function updateRecord<T extends z.ZodType, R>(
  kv: Deno.Kv,
  { key, schema, ...retry }: RecordLocation<T>,
  change: RecordChange<T, R>,
): Promise<R> {
  const attempt = async (): Promise<{ result: R } | undefined> => {
    const entry = await kv.get(key);
    let step: Deno.AtomicOperation | undefined;
    const result = change(parseRecord(schema, entry), (value, options) => {
      step = kv.atomic().check(entry);
      return value === undefined ? step.delete(key) : step.set(key, value, options);
    });
    return step === undefined || (await step.commit()).ok ? { result } : undefined;
  };
  return retryUntilCommitted(attempt, retry).then(({ result }) => result);
}
