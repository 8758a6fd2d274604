import { deserialize, serialize } from "node:v8";
import type { WireEntry, WireValue } from "./store_messages.ts";
import { messageOf } from "../../platform/message_of.ts";

/** Throws `TypeError`, as Deno KV does, for a value that cannot be cloned. */
export function encodeWireValue(value: unknown): WireValue {
  if (value instanceof Uint8Array) return { kind: "bytes", value };
  if (value instanceof Deno.KvU64) return { kind: "u64", value: value.value };
  try {
    return { kind: "clone", value: serialize(value) };
  } catch (cause) {
    throw new TypeError(messageOf(cause), { cause });
  }
}

export function decodeWireValue({ kind, value }: WireValue): unknown {
  switch (kind) {
    case "bytes":
      // A copy does not keep the whole frame in memory.
      return new Uint8Array(value);
    case "u64":
      return new Deno.KvU64(value);
    case "clone":
      return deserialize(value);
    default:
      kind satisfies never;
      throw new TypeError("Unknown kind of value");
  }
}

export function decodeWireEntry<T>(key: Deno.KvKey, entry: WireEntry | null): Deno.KvEntryMaybe<T> {
  if (entry === null) return { key, value: null, versionstamp: null };
  return {
    key: [...key],
    value: decodeWireValue(entry.value) as T,
    versionstamp: entry.versionstamp,
  };
}
