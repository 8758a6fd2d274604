import { openTestKv } from "./open_kv.ts";
const CALLS = ["get", "getMany", "list", "set", "delete", "atomic"] as const;
type Call = typeof CALLS[number];

/** A real store whose calls, or `only` some of them, can be made to fail like on a broken disk. */
export async function breakableKv(): Promise<
  { kv: Deno.Kv; break(message: string, only?: Call[]): void }
> {
  const real = await openTestKv();
  let fault: string | undefined;
  let broken: readonly string[] = [];
  const fail = () => Promise.reject(new Error(fault));
  const kv = new Proxy(real, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (!broken.includes(String(name))) return value.bind(target);
      if (name === "atomic") return () => Object.assign(target.atomic(), { commit: fail });
      return name === "list" ? () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) }) : fail;
    },
  });
  return {
    kv,
    break(message, only = [...CALLS]) {
      fault = message;
      broken = only;
    },
  };
}
