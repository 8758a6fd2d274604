import { setImmediate } from "node:timers";
import { serialize } from "node:v8";

const READ_UNIT = 4 * 1024;
const WRITE_UNIT = 1024;
/** A round is complete when no call was made for this many turns of the event loop. */
const QUIET_TURNS = 40;
const QUIET_MS = 40;

/** The calls of a store, in the units that Deno Deploy bills. */
export interface KvCosts {
  /** Atomics that were sent, and single writes. */
  commits: number;
  mutations: number;
  /** One per KiB of a written value, at least one per mutation. */
  writeUnits: number;
  /** One per 4 KiB of a read value, at least one per key. */
  readUnits: number;
  lists: number;
  /** Reads by key, each of one or more keys. */
  gets: number;
  /** Sequential rounds: concurrent calls count as one. */
  rounds: number;
}

export interface MeteredKv {
  kv: Deno.Kv;
  /** Returns the counts since the last call and resets them. */
  take(): KvCosts;
  /** Which mutations were counted since the last `take`: the first part of the key, and the units. */
  readonly written: ReadonlyMap<string, number>;
  /** Resolves when no call is in flight. */
  idle(): Promise<void>;
}

const NONE: KvCosts = {
  commits: 0,
  mutations: 0,
  writeUnits: 0,
  readUnits: 0,
  lists: 0,
  gets: 0,
  rounds: 0,
};

/**
 * Wraps a real store and counts what Deno Deploy would bill. With `far` it behaves like a distant store:
 * calls wait until no further call is made, and are then sent together, as one round.
 */
export function meteredKv(kv: Deno.Kv, { far = false } = {}): MeteredKv {
  const meter = new Meter(far);
  const methods: Record<string, unknown> = {
    get: (...of: Parameters<Deno.Kv["get"]>) =>
      meter.call("gets", async () => meter.read([await kv.get(...of)])[0]),
    getMany: (...of: Parameters<Deno.Kv["getMany"]>) =>
      meter.call("gets", async () => meter.read(await kv.getMany(...of))),
    list: (...of: Parameters<Deno.Kv["list"]>) => meteredList(meter, () => kv.list(...of)),
    set: (key: Deno.KvKey, ...of: [unknown]) =>
      meter.call("commits", () => (meter.write(key, of[0]), kv.set(key, ...of))),
    delete: (key: Deno.KvKey) =>
      meter.call("commits", () => (meter.write(key, undefined), kv.delete(key))),
    atomic: () => meteredAtomic(meter, kv.atomic()),
  };
  const proxy = new Proxy(kv, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return methods[String(name)];
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return {
    kv: proxy,
    take: () => meter.take(),
    get written() {
      return meter.written;
    },
    idle: () => meter.idle(),
  };
}

/** Counts calls, and makes them in rounds where the store is far. */
class Meter {
  written = new Map<string, number>();
  #costs = { ...NONE };
  #underWay = 0;
  #far: boolean;
  #round: Promise<void> | undefined;
  #waiting = 0;

  constructor(far: boolean) {
    this.#far = far;
  }

  take(): KvCosts {
    const taken = this.#costs;
    this.#costs = { ...NONE };
    this.written = new Map();
    return taken;
  }

  async idle(): Promise<void> {
    do await turns(3); while (this.#underWay > 0);
  }

  async call<T>(kind: "gets" | "commits" | "lists", make: () => Promise<T>): Promise<T> {
    this.#costs[kind]++;
    this.#underWay++;
    try {
      if (this.#far) await this.#nextRound();
      return await make();
    } finally {
      this.#underWay--;
    }
  }

  read<T extends readonly { value: unknown }[]>(entries: T): T {
    for (const { value } of entries) {
      this.#costs.readUnits += Math.max(1, Math.ceil(sizeOf(value) / READ_UNIT));
    }
    return entries;
  }

  write(key: Deno.KvKey, value: unknown): void {
    const units = Math.max(1, Math.ceil(sizeOf(value) / WRITE_UNIT));
    this.#costs.mutations++;
    this.#costs.writeUnits += units;
    const name = String(key[0]);
    this.written.set(name, (this.written.get(name) ?? 0) + units);
  }

  /** Waits until the round is complete; then all its calls are sent. */
  #nextRound(): Promise<void> {
    this.#waiting++;
    return this.#round ??= this.#quiet();
  }

  async #quiet(): Promise<void> {
    for (let seen = -1; seen !== this.#waiting;) {
      seen = this.#waiting;
      await new Promise((wake) => setTimeout(wake, QUIET_MS));
      await turns(QUIET_TURNS);
    }
    this.#waiting = 0;
    this.#round = undefined;
    this.#costs.rounds++;
  }
}

function meteredAtomic(meter: Meter, operation: Deno.AtomicOperation): Deno.AtomicOperation {
  const { set, delete: remove, commit } = operation;
  const written: (() => void)[] = [];
  return Object.assign(operation, {
    set(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }) {
      written.push(() => meter.write(key, value));
      return set.call(operation, key, value, options);
    },
    delete(key: Deno.KvKey) {
      written.push(() => meter.write(key, undefined));
      return remove.call(operation, key);
    },
    commit() {
      return meter.call("commits", () => {
        for (const count of written) count();
        return commit.call(operation);
      });
    },
  });
}

/** A list is one call, however many entries it has: those of tests fit into one batch. */
function meteredList<T>(
  meter: Meter,
  list: () => Deno.KvListIterator<T>,
): Deno.KvListIterator<T> {
  async function* rows() {
    const all = await meter.call("lists", () => Array.fromAsync(list()));
    if (all.length === 0) meter.read([{ value: null }]);
    yield* meter.read(all);
  }
  return Object.assign(rows(), { cursor: "" }) as unknown as Deno.KvListIterator<T>;
}

function sizeOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  return value instanceof Uint8Array ? value.length : serialize(value).length;
}

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise<void>((wake) => setImmediate(() => wake()));
}
