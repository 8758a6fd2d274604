import { invalid } from "../errors.ts";

/** One page of a list; `nextCursor` is absent on the last. */
export interface Page<T> {
  data: T[];
  nextCursor?: string;
}

/** Which page is wanted: 1-100 rows from an opaque cursor on. */
export interface PageRequest {
  limit: number;
  cursor?: string | undefined;
}

/**
 * Reads one page of ids from an index, newest first, and the records behind it. An id whose record
 * has gone in between is passed over.
 */
export async function readPage<T, Id = string>(
  kv: Deno.Kv,
  prefix: Deno.KvKey,
  options: PageRequest & { load: (id: Id) => Promise<T | undefined> },
): Promise<Page<T>> {
  const list = kv.list<Id>({ prefix }, {
    reverse: true,
    limit: options.limit,
    batchSize: options.limit,
    ...(options.cursor === undefined ? {} : { cursor: options.cursor }),
  });
  const ids = await valuesOf(list);
  const records = await Promise.all(ids.map(options.load));
  const data = records.filter((record) => record !== undefined) as T[];
  const more = ids.length === options.limit && await hasMore(kv, prefix, list.cursor);
  return more ? { data, nextCursor: list.cursor } : { data };
}

async function valuesOf<Id>(list: Deno.KvListIterator<Id>): Promise<Id[]> {
  const ids: Id[] = [];
  try {
    for await (const entry of list) ids.push(entry.value);
  } catch (error) {
    if (error instanceof TypeError && error.message === "invalid cursor") throw badCursor();
    throw error;
  }
  return ids;
}

/** The refusal of a cursor that this service did not give out. */
export function badCursor() {
  return invalid([{ path: "cursor", code: "invalid_cursor", message: "is not one of ours" }]);
}

async function hasMore(kv: Deno.Kv, prefix: Deno.KvKey, cursor: string): Promise<boolean> {
  for await (const _ of kv.list({ prefix }, { reverse: true, limit: 1, cursor })) return true;
  return false;
}
