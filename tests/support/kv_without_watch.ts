/** A store that never tells of a change, as a file's does not across processes. */
export function kvWithoutWatch(kv: Deno.Kv): Deno.Kv {
  return new Proxy(kv, {
    get(target, name) {
      if (name === "watch") return () => new ReadableStream();
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
