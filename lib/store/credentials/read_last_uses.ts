import { keys } from "../keys/keys.ts";
import type { LastUse } from "./api_key_record.ts";

/** After every shard of a key's window. */
const END = "\uffff";

/** The windows of all keys of a tenant. */
export function windowsOfTenant(tenant: string): Deno.KvListSelector {
  return { prefix: keys.apiKeyWindows(tenant) };
}

/** The windows of keys between two ids, which are included. */
export function windowsBetween(
  tenant: string,
  { first, last }: { first: string; last: string },
): Deno.KvListSelector {
  return {
    start: keys.apiKeyWindow(tenant, first),
    end: [...keys.apiKeyWindow(tenant, last), END],
  };
}

/** The last uses of keys by id, from their request windows. */
export async function readLastUses(
  kv: Deno.Kv,
  windows: Deno.KvListSelector,
): Promise<Map<string, LastUse>> {
  const uses = new Map<string, LastUse>();
  for await (const { key, value } of kv.list<{ all: number[]; from?: string }>(windows)) {
    const latest = value.all.at(-1);
    if (latest === undefined) continue;
    // A window divided into shards has several rows.
    const id = String(key[2]);
    if (latest < (uses.get(id)?.at ?? 0)) continue;
    uses.set(id, { at: latest - latest % 60_000, from: value.from });
  }
  return uses;
}
