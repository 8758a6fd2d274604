import { validationError } from "../../schemas/api_error.ts";

/** One page of a list; `nextCursor` is absent on the last. */
export interface Page<T> {
  data: T[];
  nextCursor?: string;
}

/** Which page: 1-100 rows, starting after an opaque cursor. */
export interface PageRequest {
  limit: number;
  cursor?: string | undefined;
}

/**
 * Reads one page of ids from an index, newest first, and the records behind them. Skips an id whose
 * record was deleted in between.
 */
export function readPage<T, Id = string>(
  kv: Deno.Kv,
  prefix: Deno.KvKey,
  options: PageRequest & { load: (id: Id) => Promise<T | undefined> },
): Promise<Page<T>> {
  const { load, ...page } = options;
  return readEntryPage<T, Id>(kv, prefix, { ...page, load: ({ value }) => load(value) });
}

/** Like `readPage`, but reads the entries under `prefix` themselves, the last key first. */
export async function readEntryPage<T, Value = unknown>(
  kv: Deno.Kv,
  prefix: Deno.KvKey,
  options: PageRequest & { load: (entry: Deno.KvEntry<Value>) => Promise<T | undefined> },
): Promise<Page<T>> {
  const list = kv.list<Value>({ prefix }, {
    reverse: true,
    limit: options.limit,
    batchSize: options.limit,
    ...(options.cursor === undefined ? {} : { cursor: options.cursor }),
  });
  const entries = await Array.fromAsync(list).catch((error) => {
    const isCursorError = error instanceof TypeError && error.message === "invalid cursor";
    throw isCursorError ? invalidCursor() : error;
  });
  const records = await Promise.all(entries.map(options.load));
  const data = records.filter((record) => record !== undefined) as T[];
  const more = entries.length === options.limit && await hasMore(kv, prefix, list.cursor);
  return more ? { data, nextCursor: list.cursor } : { data };
}

/** The error for a cursor that this service did not issue. */
export function invalidCursor() {
  return validationError([{
    path: "cursor",
    code: "invalid_cursor",
    message: "is not one of ours",
  }]);
}

async function hasMore(kv: Deno.Kv, prefix: Deno.KvKey, cursor: string): Promise<boolean> {
  for await (const _ of kv.list({ prefix }, { reverse: true, limit: 1, cursor })) return true;
  return false;
}
