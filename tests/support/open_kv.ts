import { withValueEncoding } from "@/lib/store/kv/with_value_encoding.ts";

/** A real store as a service has it, values in its own format; in memory unless a path or URL is given. */
export async function openTestKv(path = ":memory:"): Promise<Deno.Kv> {
  return withValueEncoding(await Deno.openKv(path));
}
