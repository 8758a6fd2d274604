import { openTestKv } from "./open_kv.ts";
/** A store that can commit to `kind` and then report a failure, like a lost connection. */
export async function lossyKv() {
  const real = await openTestKv();
  let losing: string | undefined;
  const atomic = () => {
    const operation = real.atomic();
    const { set, commit } = operation;
    let lost = false;
    return Object.assign(operation, {
      set(key: Deno.KvKey, ...rest: [unknown, { expireIn?: number }?]) {
        lost ||= key[0] === losing;
        return set.call(operation, key, ...rest);
      },
      async commit() {
        const result = await commit.call(operation);
        if (!lost) return result;
        losing = undefined;
        throw new TypeError("connection lost");
      },
    });
  };
  const kv = new Proxy(real, {
    get(target, name) {
      const value: unknown = name === "atomic" ? atomic : Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { kv, loseNextCommit: (kind: string) => losing = kind };
}
