/** Number of store calls by kind. */
export interface KvCalls {
  get: number;
  getMany: number;
  /** Keys read, by either kind of read. */
  keysRead: number;
  list: number;
  /** Atomics that were committed, and single writes. */
  commit: number;
}

const NONE: KvCalls = { get: 0, getMany: 0, keysRead: 0, list: 0, commit: 0 };

/** A real store that counts its calls. */
export function countingKv(kv: Deno.Kv): { kv: Deno.Kv; take(): KvCalls } {
  let calls = { ...NONE };
  const counted = {
    get: (...of: Parameters<Deno.Kv["get"]>) => {
      calls.get++;
      calls.keysRead++;
      return kv.get(...of);
    },
    getMany: (...of: Parameters<Deno.Kv["getMany"]>) => {
      calls.getMany++;
      calls.keysRead += of[0].length;
      return kv.getMany(...of);
    },
    list: (...of: Parameters<Deno.Kv["list"]>) => {
      calls.list++;
      return kv.list(...of);
    },
    set: (...of: Parameters<Deno.Kv["set"]>) => {
      calls.commit++;
      return kv.set(...of);
    },
    delete: (...of: Parameters<Deno.Kv["delete"]>) => {
      calls.commit++;
      return kv.delete(...of);
    },
    atomic: () => {
      const operation = kv.atomic();
      const { commit } = operation;
      return Object.assign(operation, {
        commit() {
          calls.commit++;
          return commit.call(operation);
        },
      });
    },
  };
  const proxy = new Proxy(kv, {
    get(target, name) {
      if (Object.hasOwn(counted, name)) return counted[name as keyof typeof counted];
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  /** Returns the counts since the last call and resets them. */
  const take = () => {
    const taken = calls;
    calls = { ...NONE };
    return taken;
  };
  return { kv: proxy, take };
}

/** The counts that are not 0. */
export function nonZeroCalls(calls: KvCalls): Partial<KvCalls> {
  return Object.fromEntries(Object.entries(calls).filter(([, count]) => count > 0));
}
