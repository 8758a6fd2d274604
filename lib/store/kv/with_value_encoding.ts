import { isBinaryKey } from "../values/is_binary_key.ts";
import { CorruptRecordError } from "../values/record.ts";
import { decodeValue, encodeValue } from "../values/value_codec.ts";
import { overrideKv, overrideList } from "./override_kv.ts";
import { messageOf } from "../../platform/message_of.ts";

/** A stored value has a format that this release cannot read. The value is left unchanged. */
export class UnreadableValueError extends CorruptRecordError {
  override name = "UnreadableValueError";
}

/** Deno's message for a value that it cannot deserialize; it names no key. */
const DESERIALIZE_MESSAGE = "could not deserialize value";

/** Stores that are wrapped already: wrapping twice would encode values twice. */
const wrapped = new WeakSet<Deno.Kv>();

/**
 * Wraps a store so that records are stored as bytes in our own format (see `value_codec.ts`) instead of
 * V8's serialization, because Deno before 2.8 cannot read what newer versions write with that. Values of
 * earlier releases are still read, and are converted when they are written again. Reading an entry whose
 * value cannot be decoded succeeds and its `value` throws `UnreadableValueError`, so the entry can be
 * deleted and the entries read with it can be used.
 */
export function withValueEncoding(kv: Deno.Kv): Deno.Kv {
  if (wrapped.has(kv)) return kv;
  const encoded = overrideKv(kv, {
    get: (...of: Parameters<Deno.Kv["get"]>) => kv.get(...of).then(decodeEntry, throwReadError),
    getMany: (...of: Parameters<Deno.Kv["getMany"]>) =>
      kv.getMany(...of).then(decodeAll, throwReadError),
    set: (key: Deno.KvKey, value: unknown, options?: { expireIn?: number }) =>
      kv.set(key, encodeForKey(key, value), options),
    list: (...of: Parameters<Deno.Kv["list"]>) => overrideList(kv.list(...of), decodeRow),
    atomic: () => encodeWrites(kv.atomic()),
    watch: (...of: Parameters<Deno.Kv["watch"]>) => decodeWatch(kv.watch(...of)),
  });
  wrapped.add(encoded);
  return encoded;
}

type Entry = Deno.KvEntryMaybe<unknown>;

/** What is stored for a value. Throws `TypeError` for a record under a binary key. */
function encodeForKey(key: Deno.KvKey, value: unknown): unknown {
  if (!isBinaryKey(key)) return encodeValue(value);
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`a value of ${String(key[0])} must be bytes`);
}

function encodeWrites(atomic: Deno.AtomicOperation): Deno.AtomicOperation {
  const set = atomic.set.bind(atomic);
  const mutate = atomic.mutate.bind(atomic);
  return Object.assign(atomic, {
    set: (key: Deno.KvKey, value: unknown, options?: { expireIn?: number }) =>
      set(key, encodeForKey(key, value), options),
    mutate: (...mutations: Deno.KvMutation[]) =>
      mutate(
        ...mutations.map((one) =>
          one.type === "set" ? { ...one, value: encodeForKey(one.key, one.value) } : one
        ),
      ),
  });
}

function decodeAll(entries: Entry[]): Entry[] {
  for (const entry of entries) decodeEntry(entry);
  return entries;
}

/** Decodes an entry's value. A value that V8 deserialized needs no decoding. */
function decodeEntry<T extends Entry>(entry: T): T {
  const stored: unknown = entry.value;
  if (!(stored instanceof Uint8Array) || isBinaryKey(entry.key)) return entry;
  try {
    entry.value = decodeValue(stored);
  } catch (cause) {
    const why = messageOf(cause);
    const message = `stored record ${String(entry.key[0])} cannot be decoded: ${why}`;
    Object.defineProperty(entry, "value", {
      enumerable: true,
      get(): never {
        throw new UnreadableValueError(message, { cause });
      },
    });
  }
  return entry;
}

/** Only V8's serialization fails like this: an older Deno reads what a newer one wrote. */
function throwReadError(cause: unknown): never {
  if (!(cause instanceof Error) || cause.message !== DESERIALIZE_MESSAGE) throw cause;
  throw new UnreadableValueError(
    "a stored record cannot be decoded: an earlier release wrote it on a newer Deno. Run this " +
      "release on that Deno until it has written the record again",
    { cause },
  );
}

async function decodeRow<T>(
  next: () => Promise<IteratorResult<Deno.KvEntry<T>, undefined>>,
): Promise<IteratorResult<Deno.KvEntry<T>, undefined>> {
  const row = await next().catch(throwReadError);
  if (!row.done) decodeEntry(row.value);
  return row;
}

/** Reads rows only as they are consumed, so that none of them is stale. */
function decodeWatch(changes: ReadableStream<Entry[]>): ReadableStream<Entry[]> {
  const reader = changes.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(decodeAll(value));
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
