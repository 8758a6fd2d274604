export interface KillableKv {
  kv: Deno.Kv;
  /** From the `n`-th next call on, every call fails without an effect, as if the process were dead. */
  killAfter(n: number): void;
  readonly isDead: boolean;
}

/** A store that one process shares with others until it is killed. */
export function killableKv(kv: Deno.Kv): KillableKv {
  let left = Infinity;
  const alive = <A extends unknown[], R>(call: (...of: A) => Promise<R>) => (...of: A) =>
    left-- > 0 ? call(...of) : Promise.reject(new Error("this process is dead"));
  const calls = {
    get: alive((...of: Parameters<Deno.Kv["get"]>) => kv.get(...of)),
    getMany: alive((...of: Parameters<Deno.Kv["getMany"]>) => kv.getMany(...of)),
    set: alive((...of: Parameters<Deno.Kv["set"]>) => kv.set(...of)),
    delete: alive((...of: Parameters<Deno.Kv["delete"]>) => kv.delete(...of)),
    atomic() {
      const atomic = kv.atomic();
      return Object.assign(atomic, { commit: alive(atomic.commit.bind(atomic)) });
    },
    list(...of: Parameters<Deno.Kv["list"]>) {
      const rows = kv.list(...of);
      return Object.assign(rows, { next: alive(rows.next.bind(rows)) });
    },
  };
  const killable = new Proxy(kv, {
    get(target, name) {
      if (Object.hasOwn(calls, name)) return calls[name as keyof typeof calls];
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return {
    kv: killable,
    killAfter: (n) => left = n,
    get isDead() {
      return left <= 0;
    },
  };
}
