import { setTimeout as delay } from "node:timers/promises";

/** The number of calls to a store. */
export interface StoreCalls {
  /** Reads, lists, single writes and commits. */
  calls: number;
  /** Atomics and single writes that were sent. */
  commits: number;
  /** Those of them whose checks failed. */
  conflicts: number;
}

export interface MeasuredKv {
  readonly kv: Deno.Kv;
  /** Updated with every call. */
  readonly counted: StoreCalls;
}

/**
 * The same store, with counted calls and a round trip of `roundTripMs`. Half of the delay comes before a
 * call reaches the store and half after, so a commit conflicts with writes made while it was in transit.
 */
export function measuredKv(kv: Deno.Kv, roundTripMs: number): MeasuredKv {
  const counted: StoreCalls = { calls: 0, commits: 0, conflicts: 0 };
  const halfTrip = () => roundTripMs > 0 ? delay(roundTripMs / 2) : undefined;
  const call = async <T>(send: () => Promise<T>): Promise<T> => {
    counted.calls++;
    await halfTrip();
    try {
      return await send();
    } finally {
      await halfTrip();
    }
  };
  const write = async <T extends { ok: boolean }>(send: () => Promise<T>): Promise<T> => {
    counted.commits++;
    const result = await call(send);
    if (!result.ok) counted.conflicts++;
    return result;
  };
  const wrapped = {
    get: (...args: Parameters<Deno.Kv["get"]>) => call(() => kv.get(...args)),
    getMany: (keys: Deno.KvKey[], options?: { consistency?: Deno.KvConsistencyLevel }) =>
      call(() => kv.getMany(keys, options)),
    set: (...args: Parameters<Deno.Kv["set"]>) => write(() => kv.set(...args)),
    delete: (...args: Parameters<Deno.Kv["delete"]>) => call(() => kv.delete(...args)),
    list: (...args: Parameters<Deno.Kv["list"]>) => delayedList(kv.list(...args), call),
    atomic: () => {
      const operation = kv.atomic();
      const commit = operation.commit.bind(operation);
      return Object.assign(operation, { commit: () => write(commit) });
    },
  };
  return { kv: withMethods(kv, wrapped), counted };
}

type Call = <T>(send: () => Promise<T>) => Promise<T>;

/** Delays and counts the first page of a list; further pages of longer lists are not counted. */
function delayedList<T>(list: Deno.KvListIterator<T>, call: Call): Deno.KvListIterator<T> {
  const next = list.next.bind(list);
  let isFirst = true;
  return Object.assign(list, {
    next: () => {
      if (!isFirst) return next();
      isFirst = false;
      return call(next);
    },
  });
}

/** `kv` with some methods replaced; the others are bound to it. */
function withMethods(kv: Deno.Kv, methods: object): Deno.Kv {
  return new Proxy(kv, {
    get(target, name) {
      const value: unknown = Reflect.get(methods, name) ?? Reflect.get(target, name);
      return typeof value === "function" && !Object.hasOwn(methods, name)
        ? value.bind(target)
        : value;
    },
  });
}
