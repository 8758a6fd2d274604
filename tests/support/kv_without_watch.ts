/** A store that reports no changes, like a file across processes. */
export function kvWithoutWatch(kv: Deno.Kv): Deno.Kv {
  return new Proxy(kv, {
    get(target, name) {
      if (name === "watch") return () => new ReadableStream();
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
