import { setTimeout as delay } from "node:timers/promises";

/** What was asked of a store. */
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
  /** Counts up for as long as the store is used. */
  readonly counted: StoreCalls;
}

/**
 * The same store, `roundTripMs` away and counted. Half of the delay comes before a call reaches the
 * store and half after, so that a commit loses to what others wrote while it was on its way.
 */
export function measuredKv(kv: Deno.Kv, roundTripMs: number): MeasuredKv {
  const counted: StoreCalls = { calls: 0, commits: 0, conflicts: 0 };
  const travel = () => roundTripMs > 0 ? delay(roundTripMs / 2) : undefined;
  const call = async <T>(ask: () => Promise<T>): Promise<T> => {
    counted.calls++;
    await travel();
    try {
      return await ask();
    } finally {
      await travel();
    }
  };
  const write = async <T extends { ok: boolean }>(ask: () => Promise<T>): Promise<T> => {
    counted.commits++;
    const result = await call(ask);
    if (!result.ok) counted.conflicts++;
    return result;
  };
  const wrapped = {
    get: (...of: Parameters<Deno.Kv["get"]>) => call(() => kv.get(...of)),
    getMany: (keys: Deno.KvKey[], options?: { consistency?: Deno.KvConsistencyLevel }) =>
      call(() => kv.getMany(keys, options)),
    set: (...of: Parameters<Deno.Kv["set"]>) => write(() => kv.set(...of)),
    delete: (...of: Parameters<Deno.Kv["delete"]>) => call(() => kv.delete(...of)),
    list: (...of: Parameters<Deno.Kv["list"]>) => delayedList(kv.list(...of), call),
    atomic: () => {
      const operation = kv.atomic();
      const commit = operation.commit.bind(operation);
      return Object.assign(operation, { commit: () => write(commit) });
    },
  };
  return { kv: withMethods(kv, wrapped), counted };
}

type Call = <T>(ask: () => Promise<T>) => Promise<T>;

/** A list pays for its first page; further pages of longer lists are not counted. */
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
