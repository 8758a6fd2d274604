/** A client that is cut again and again has what an uncut one has: CONTRACT section 6. */
import { cutAndCompare } from "./support/cut_streams.ts";
import { openTestKv } from "./support/open_kv.ts";

Deno.test("a client cut at 200 places has what an uncut one has", async () => {
  using kv = await openTestKv();
  await cutAndCompare(1, [kv]);
});

Deno.test("a client cut at 200 places, coming back to any process, has what an uncut one has", async () => {
  using kv = await openTestKv();
  await cutAndCompare(2, [kv, kv]);
});
