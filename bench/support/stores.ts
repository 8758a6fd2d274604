import { withValueEncoding } from "@/lib/store/kv/with_value_encoding.ts";

/** Where a benchmark's store is. */
export type StoreKind = "file" | "memory";

/** Runs with a new, empty store, and removes it. */
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

/** The store as if each answer took `ms()` longer: what Deno KV on another machine is like. */
export function distantKv(kv: Deno.Kv, ms: () => number): Deno.Kv {
  const travel = () => new Promise<void>((arrive) => setTimeout(arrive, ms()));
  const distant = {
    get: (key: Deno.KvKey) => travel().then(() => kv.get(key)),
    getMany: (keys: Deno.KvKey[]) => travel().then(() => kv.getMany(keys)),
    list: (selector: Deno.KvListSelector, options?: Deno.KvListOptions) =>
      kv.list(selector, options),
    atomic: () => {
      const change = kv.atomic();
      const commit = change.commit.bind(change);
      change.commit = () => travel().then(commit);
      return change;
    },
  };
  return distant as unknown as Deno.Kv;
}
