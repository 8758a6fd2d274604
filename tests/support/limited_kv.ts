/** Limits of an atomic operation; exceeding them fails with the engine's message. */
export interface EngineLimits {
  readonly checks: number;
  readonly mutations: number;
  /** The error for too many checks or mutations. */
  readonly refuse: (what: "checks" | "mutations", max: number) => Error;
}

/** A `denokv` server, with the errors of Deno's client. Source: denokv 0.13. */
export const DENOKV: EngineLimits = {
  checks: 10,
  mutations: 1_000,
  refuse: (what) => {
    const words = what === "checks" ? "checks" : "mutations / enqueues";
    return new Error(
      "KV Connect failed to call 'http://kv/v2/atomic_write' (status=400 Bad Request): " +
        `Too many ${words} included in atomic write.`,
    );
  },
};

/** An engine that states its maximum, as the SQLite file does. */
export function statedLimits(checks: number): EngineLimits {
  return {
    checks,
    mutations: 1_000,
    refuse: (what, max) => new TypeError(`Too many ${what} (max ${max})`),
  };
}

export interface LimitedKv {
  readonly kv: Deno.Kv;
  /** Number of checks of each atomic operation in order, including rejected ones. */
  readonly sent: number[];
  /** Number of rejected operations. */
  rejected: number;
}

/** The same store behind the limits of another engine. */
export function limitedKv(kv: Deno.Kv, limits: EngineLimits): LimitedKv {
  const sent: number[] = [];
  const atomic = () => {
    const operation = kv.atomic();
    const count = { checks: 0, mutations: 0 };
    const { check, set, delete: remove, commit } = operation;
    return Object.assign(operation, {
      check(...checks: Deno.AtomicCheck[]) {
        count.checks += checks.length;
        return check.apply(operation, checks);
      },
      set(...of: Parameters<Deno.AtomicOperation["set"]>) {
        count.mutations++;
        return set.apply(operation, of);
      },
      delete(key: Deno.KvKey) {
        count.mutations++;
        return remove.call(operation, key);
      },
      commit() {
        sent.push(count.checks);
        for (const what of ["checks", "mutations"] as const) {
          if (count[what] <= limits[what]) continue;
          limited.rejected++;
          return Promise.reject(limits.refuse(what, limits[what]));
        }
        return commit.call(operation);
      },
    });
  };
  const proxy = new Proxy(kv, {
    get(target, name) {
      if (name === "atomic") return atomic;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const limited: LimitedKv = { kv: proxy, sent, rejected: 0 };
  return limited;
}
