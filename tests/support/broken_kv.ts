/** A real store that can be made to fail every read, as one whose disk has gone. */
export async function breakableKv(): Promise<{ kv: Deno.Kv; break(message: string): void }> {
  const real = await Deno.openKv(":memory:");
  let fault: string | undefined;
  const kv = new Proxy(real, {
    get(target, name) {
      if (name === "get" && fault !== undefined) return () => Promise.reject(new Error(fault));
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { kv, break: (message) => fault = message };
}
