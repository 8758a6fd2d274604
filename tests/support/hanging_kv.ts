export interface HangingKv {
  kv: Deno.Kv;
  /** From now on every call hangs. */
  hang(): void;
  goOn(): void;
  /** Waits until more than `calls` calls hang, and returns the number. */
  hung(calls: number): Promise<number>;
  /** The next call hangs forever, independent of other calls. */
  loseNext(): void;
  /** Number of calls, including hanging ones. */
  readonly calls: number;
}

/** A store that can be made to hang, like one behind a broken network. */
export function hangingKv(kv: Deno.Kv): HangingKv {
  let gate: PromiseWithResolvers<void> | undefined;
  let calls = 0;
  let asked = 0;
  let isNextLost = false;
  let changed = Promise.withResolvers<void>();
  const late = <A extends unknown[], R>(call: (...of: A) => Promise<R>) => async (...of: A) => {
    asked++;
    if (isNextLost) {
      isNextLost = false;
      return await new Promise<never>(() => {});
    }
    if (gate === undefined) return await call(...of);
    calls++;
    changed.resolve();
    changed = Promise.withResolvers();
    await gate.promise;
    return await call(...of);
  };
  const told = {
    get: late((...of: Parameters<Deno.Kv["get"]>) => kv.get(...of)),
    getMany: late((...of: Parameters<Deno.Kv["getMany"]>) => kv.getMany(...of)),
    set: late((...of: Parameters<Deno.Kv["set"]>) => kv.set(...of)),
    delete: late((...of: Parameters<Deno.Kv["delete"]>) => kv.delete(...of)),
    atomic() {
      const atomic = kv.atomic();
      return Object.assign(atomic, { commit: late(atomic.commit.bind(atomic)) });
    },
    list(...of: Parameters<Deno.Kv["list"]>) {
      const rows = kv.list(...of);
      return Object.assign(rows, { next: late(rows.next.bind(rows)) });
    },
  };
  const hanging = new Proxy(kv, {
    get(target, name) {
      if (Object.hasOwn(told, name)) return told[name as keyof typeof told];
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return {
    kv: hanging,
    hang: () => gate = Promise.withResolvers(),
    loseNext: () => isNextLost = true,
    get calls() {
      return asked;
    },
    goOn() {
      gate?.resolve();
      gate = undefined;
    },
    async hung(before) {
      while (calls <= before) await changed.promise;
      return calls;
    },
  };
}
