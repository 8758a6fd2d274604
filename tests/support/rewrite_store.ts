/** `deno run -A tests/support/rewrite_store.ts <file>`: rewrites every value of a store. */
import { openTestKv } from "./open_kv.ts";

const kv = await openTestKv(Deno.args[0]);
let count = 0;
for await (const { key, value } of kv.list({ prefix: [] })) {
  await kv.set(key, value);
  count++;
}
kv.close();
console.log(Deno.version.deno, count);
