import { StoreFailedError, StoreUnavailableError } from "../tx/operation.ts";
import { RetryPolicy } from "../tx/retry_policy.ts";
import { currentStoreDeadline } from "../tx/store_deadline.ts";
import { isInvalidCallError } from "../tx/store_error.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { overrideKv, overrideList } from "./override_kv.ts";
import { messageOf } from "../../platform/message_of.ts";

export interface StoreFailuresOptions {
  runtime: Runtime;
  /** How long a read may take, milliseconds; 5,000 by default. */
  timeoutMs?: number;
}

/**
 * Maps the failures of a store (full disk, locked file, unreachable server) to `StoreFailedError`, and a
 * read or the start of a list that times out to `StoreUnavailableError`. A write has no timeout of its
 * own, because it may still succeed; inside a request every call ends with the `StoreDeadline`. Invalid
 * calls, such as a value that is too large, throw their own error.
 */
export function withStoreFailures(kv: Deno.Kv, options: StoreFailuresOptions): Deno.Kv {
  const policy = new RetryPolicy(options.runtime, options.timeoutMs);
  const read = <T>(result: Promise<T>) => policy.withCallerDeadline(result.catch(throwStoreError));
  return overrideKv(kv, {
    get: (...of: Parameters<Deno.Kv["get"]>) => read(kv.get(...of)),
    getMany: (...of: Parameters<Deno.Kv["getMany"]>) => read(kv.getMany(...of)),
    set: (...of: Parameters<Deno.Kv["set"]>) => withinDeadline(kv.set(...of)),
    delete: (...of: Parameters<Deno.Kv["delete"]>) => withinDeadline(kv.delete(...of)),
    list: (...of: Parameters<Deno.Kv["list"]>) =>
      overrideList(kv.list(...of), (next, isFirst) => {
        // A timer for each row would double the cost of a long list.
        return isFirst ? read(next()) : withinDeadline(next());
      }),
    atomic() {
      const atomic = kv.atomic();
      const commit = atomic.commit.bind(atomic);
      return Object.assign(atomic, { commit: () => withinDeadline(commit()) });
    },
  });
}

function withinDeadline<T>(result: Promise<T>): Promise<T> {
  const mapped = result.catch(throwStoreError);
  return currentStoreDeadline()?.wait(mapped) ?? mapped;
}

function throwStoreError(cause: unknown): never {
  if (cause instanceof StoreUnavailableError || isInvalidCallError(cause)) throw cause;
  const message = messageOf(cause);
  throw new StoreFailedError(`the store failed: ${message}`, { cause });
}
