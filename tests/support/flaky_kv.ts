/** A pseudo-random number in [0, 1), the same sequence for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface FlakyOptions {
  random: () => number;
  /** Share of commits that succeed but are reported as failed. */
  ambiguous?: number;
  /** Share of reads and commits that fail without effect. */
  locked?: number;
  /** Maximum event loop turns per call. */
  turns?: number;
}

/** Calls that reached the store. */
export interface Traffic {
  reads: number;
  commits: number;
}

/**
 * A real store behind a bad connection: the calls of the transaction batcher are slow and fail at the
 * given rates. Other calls pass through, so that a whole service can use it.
 */
export function flakyKv(kv: Deno.Kv, options: FlakyOptions): { kv: Deno.Kv; traffic: Traffic } {
  const { random, ambiguous = 0, locked = 0, turns = 0 } = options;
  const traffic: Traffic = { reads: 0, commits: 0 };
  const travel = async () => {
    for (let n = Math.floor(random() * (turns + 1)); n > 0; n--) await Promise.resolve();
    if (random() < locked) throw new TypeError("database is locked");
  };
  const flaky = {
    async getMany(keys: Deno.KvKey[]) {
      await travel();
      traffic.reads++;
      return await kv.getMany(keys);
    },
    atomic() {
      const operation = kv.atomic();
      const { commit } = operation;
      return Object.assign(operation, {
        async commit() {
          await travel();
          traffic.commits++;
          const result = await commit.call(operation);
          if (random() < ambiguous) throw new TypeError("connection lost");
          return result;
        },
      });
    },
  };
  const proxy = new Proxy(kv, {
    get(target, name) {
      if (Object.hasOwn(flaky, name)) return flaky[name as keyof typeof flaky];
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { kv: proxy, traffic };
}
