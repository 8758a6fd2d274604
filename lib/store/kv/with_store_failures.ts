import { StoreFailedError, StoreUnavailableError } from "../tx/operation.ts";
import { Patience } from "../tx/patience.ts";
import { storeDeadline } from "../tx/store_deadline.ts";
import { isInvalidCall } from "../tx/store_error.ts";
import type { Runtime } from "../../platform/runtime.ts";

export interface StoreFailuresOptions {
  runtime: Runtime;
  /** How long a read may take, milliseconds; 5,000 by default. */
  patienceMs?: number;
}

/**
 * The same store, whose failures (a disk that is full, a file that is locked, a server that is away) are
 * thrown as `StoreFailedError`: whoever asked is told to come back. A read that takes too long, or a
 * list that does not begin, is thrown as `StoreUnavailableError`; a write is waited for, because it may
 * yet be done. A request waits for nothing, a write included, longer than its `StoreDeadline`. What is wrong with a call itself, such as a value that is too large, is thrown as it is.
 */
export function withStoreFailures(kv: Deno.Kv, options: StoreFailuresOptions): Deno.Kv {
  const patience = new Patience(options.runtime, options.patienceMs);
  const read = <T>(answer: Promise<T>) => patience.forCaller(answer.catch(throwStoreError));
  const write = <T>(answer: Promise<T>) => withinDeadline(answer.catch(throwStoreError));
  const told = {
    get: (...of: Parameters<Deno.Kv["get"]>) => read(kv.get(...of)),
    getMany: (...of: Parameters<Deno.Kv["getMany"]>) => read(kv.getMany(...of)),
    set: (...of: Parameters<Deno.Kv["set"]>) => write(kv.set(...of)),
    delete: (...of: Parameters<Deno.Kv["delete"]>) => write(kv.delete(...of)),
    list: (...of: Parameters<Deno.Kv["list"]>) => wrapList(kv.list(...of), read),
    atomic: () => wrapAtomic(kv.atomic()),
  };
  return new Proxy(kv, {
    get(target, name) {
      if (Object.hasOwn(told, name)) return told[name as keyof typeof told];
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function wrapList<T>(
  list: Deno.KvListIterator<T>,
  read: <R>(answer: Promise<R>) => Promise<R>,
): Deno.KvListIterator<T> {
  const rows = list[Symbol.asyncIterator]();
  let isBegun = false;
  return {
    get cursor() {
      return list.cursor;
    },
    next() {
      // An alarm for each row would double what a long list costs.
      if (isBegun) return withinDeadline(rows.next().catch(throwStoreError));
      isBegun = true;
      return read(rows.next());
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  } as Deno.KvListIterator<T>;
}

function wrapAtomic(atomic: Deno.AtomicOperation): Deno.AtomicOperation {
  const commit = atomic.commit.bind(atomic);
  return Object.assign(atomic, { commit: () => withinDeadline(commit().catch(throwStoreError)) });
}

function withinDeadline<T>(answer: Promise<T>): Promise<T> {
  return storeDeadline()?.wait(answer) ?? answer;
}

function throwStoreError(cause: unknown): never {
  if (cause instanceof StoreUnavailableError || isInvalidCall(cause)) throw cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  throw new StoreFailedError(`the store failed: ${message}`, { cause });
}
