import { withValueEncoding } from "@/lib/store/kv/with_value_encoding.ts";

/** The kind of a benchmark's store. */
export type StoreKind = "file" | "memory";

/** Runs `use` with a new, empty store, and deletes the store afterwards. */
export async function withStore<T>(
  kind: StoreKind,
  use: (kv: Deno.Kv) => Promise<T>,
): Promise<T> {
  if (kind === "memory") {
    using kv = await Deno.openKv(":memory:");
    return await use(withValueEncoding(kv));
  }
  const folder = await Deno.makeTempDir({ prefix: "bench-" });
  try {
    using kv = await Deno.openKv(`${folder}/kv.sqlite3`);
    return await use(withValueEncoding(kv));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The same store with responses delayed by `ms()`, like a Deno KV on another machine. */
export function distantKv(kv: Deno.Kv, ms: () => number): Deno.Kv {
  const pause = () => new Promise<void>((resolve) => setTimeout(resolve, ms()));
  const distant = {
    get: (key: Deno.KvKey) => pause().then(() => kv.get(key)),
    getMany: (keys: Deno.KvKey[]) => pause().then(() => kv.getMany(keys)),
    list: (selector: Deno.KvListSelector, options?: Deno.KvListOptions) =>
      kv.list(selector, options),
    atomic: () => {
      const change = kv.atomic();
      const commit = change.commit.bind(change);
      change.commit = () => pause().then(commit);
      return change;
    },
  };
  return distant as unknown as Deno.Kv;
}
