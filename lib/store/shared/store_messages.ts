/** A call of a store over a connection. Its id is chosen by the client and repeated by the answers. */
export type StoreRequest = { readonly id: number } & StoreCall;

export type StoreCall =
  | { op: "read"; keys: readonly Deno.KvKey[]; consistency: Consistency }
  | { op: "list"; selector: Deno.KvListSelector; page: ListPage }
  | { op: "commit"; checks: readonly Deno.AtomicCheck[]; mutations: readonly WireMutation[] }
  /** Answered by each change, and by `undefined` at the end. */
  | { op: "watch"; keys: readonly Deno.KvKey[]; raw: boolean }
  /** Ends the watch with the same id. */
  | { op: "unwatch" };

/** What a call of each kind returns. */
export interface StoreResults {
  /** In the order of the keys. */
  read: (WireEntry | null)[];
  list: WireListEntry[];
  /** The versionstamp; `null` if a check failed. */
  commit: string | null;
  watch: (WireEntry | null)[] | undefined;
}

export type StoreAnswer = { id: number; result: unknown } | { id: number; error: WireError };

type Consistency = Deno.KvConsistencyLevel | undefined;

export interface ListPage {
  size: number;
  cursor: string | undefined;
  reverse: boolean;
  consistency: Consistency;
}

export interface WireEntry {
  value: WireValue;
  versionstamp: string;
}

/** `cursor` continues the list after this entry. */
export type WireListEntry = WireEntry & { key: Deno.KvKey; cursor: string };

/** The three kinds of values of Deno KV; `clone` is serialized when it is set, as Deno KV does. */
export type WireValue =
  | { kind: "bytes"; value: Uint8Array }
  | { kind: "u64"; value: bigint }
  | { kind: "clone"; value: Uint8Array };

export type WireMutation =
  | { type: "set"; key: Deno.KvKey; value: WireValue; expireIn: number | undefined }
  | { type: "delete"; key: Deno.KvKey }
  | { type: "sum" | "min" | "max"; key: Deno.KvKey; value: WireValue };

export interface WireError {
  name: string;
  message: string;
}
