import type { StoreCalls } from "./store_calls.ts";
import type { StoreResults } from "./store_messages.ts";
import { decodeWireEntry } from "./wire_value.ts";

type Update = StoreResults["watch"];

/**
 * The changes of keys in a store of another process. Without `raw` only the latest change waits for a
 * slow reader: each change has the entries of all keys.
 */
export function watchShared(
  calls: StoreCalls,
  { keys, raw }: { keys: readonly Deno.KvKey[]; raw: boolean },
): ReadableStream<Deno.KvEntryMaybe<unknown>[]> {
  const updates: Update[] = [];
  let failure: Error | undefined;
  let wake = () => {};
  const onResult = (result: unknown) => {
    const update = result as Update;
    if (!raw && update !== undefined) updates.length = 0;
    updates.push(update);
    wake();
  };
  const onError = (error: Error) => {
    failure = error;
    wake();
  };
  const cancel = calls.watch({ op: "watch", keys, raw }, { onResult, onError });
  return new ReadableStream({
    async pull(controller) {
      while (updates.length === 0 && failure === undefined) {
        await new Promise<void>((resolve) => wake = resolve);
      }
      if (updates.length === 0) return controller.error(failure);
      const update = updates.shift();
      if (update === undefined) controller.close();
      else controller.enqueue(update.map((entry, n) => decodeWireEntry(keys[n]!, entry)));
    },
    cancel,
  });
}
