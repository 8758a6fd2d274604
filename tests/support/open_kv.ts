import { withValueEncoding } from "@/lib/store/kv/with_value_encoding.ts";

/** A real store with the service's value encoding, in memory unless a path or URL is given. */
export async function openTestKv(path = ":memory:"): Promise<Deno.Kv> {
  return withValueEncoding(await Deno.openKv(path));
}
