/** A store that runs `act` before the `nth` read of one key, as another process would in between. */
export function interruptedKv(
  kv: Deno.Kv,
  { key, nth, act }: { key: Deno.KvKey; nth: number; act: () => Promise<unknown> },
): Deno.Kv {
  let reads = 0;
  return new Proxy(kv, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== "get") return typeof value === "function" ? value.bind(target) : value;
      return async (asked: Deno.KvKey) => {
        if (JSON.stringify(asked) === JSON.stringify(key) && ++reads === nth) await act();
        return await target.get(asked);
      };
    },
  });
}
