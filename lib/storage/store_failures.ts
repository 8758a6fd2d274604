import { StoreFailedError } from "../committer/operation.ts";
import { isTooLarge } from "../committer/too_large.ts";

/**
 * What Deno KV (2.9) says of a call that is wrong in itself, of a value that is no longer readable
 * too: trying it again is in vain. Its classes do not tell: a locked file is a `TypeError` as well.
 */
const WRONG_CALL = new RegExp(
  "^(" + [
    "Key too large",
    "Too many (checks|mutations|ranges|entries|keys)",
    "invalid cursor$",
    "key cannot be empty",
    "expireIn must be",
    "Invalid (check|mutation|range)",
    "(Start|End) key is",
    "expected string, number",
    "serde_v8 error",
    "unknown variant",
    "Failed to perform '",
    "could not deserialize value",
  ].join("|") + ")|could not be cloned\\.$",
);

/**
 * The same store, whose failures (a disk that is full, a file that is locked, a server that is away) are
 * thrown as `StoreFailedError`: whoever asked is told to come back. What is wrong with a call
 * itself, such as a value that is too large, is thrown as it is.
 */
export function withStoreFailures(kv: Deno.Kv): Deno.Kv {
  const told = {
    get: (...of: Parameters<Deno.Kv["get"]>) => kv.get(...of).catch(fail),
    getMany: (...of: Parameters<Deno.Kv["getMany"]>) => kv.getMany(...of).catch(fail),
    set: (...of: Parameters<Deno.Kv["set"]>) => kv.set(...of).catch(fail),
    delete: (...of: Parameters<Deno.Kv["delete"]>) => kv.delete(...of).catch(fail),
    list: (...of: Parameters<Deno.Kv["list"]>) => toldList(kv.list(...of)),
    atomic: () => toldAtomic(kv.atomic()),
  };
  return new Proxy(kv, {
    get(target, name) {
      if (Object.hasOwn(told, name)) return told[name as keyof typeof told];
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function toldList<T>(list: Deno.KvListIterator<T>): Deno.KvListIterator<T> {
  const rows = list[Symbol.asyncIterator]();
  return {
    get cursor() {
      return list.cursor;
    },
    next: () => rows.next().catch(fail),
    [Symbol.asyncIterator]() {
      return this;
    },
  } as Deno.KvListIterator<T>;
}

function toldAtomic(atomic: Deno.AtomicOperation): Deno.AtomicOperation {
  const commit = atomic.commit.bind(atomic);
  return Object.assign(atomic, { commit: () => commit().catch(fail) });
}

function fail(cause: unknown): never {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (isTooLarge(cause) || WRONG_CALL.test(message)) throw cause;
  throw new StoreFailedError(`the store failed: ${message}`, { cause });
}
