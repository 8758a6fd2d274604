/** A client that reconnects again and again receives the whole stream: CONTRACT section 6. */
import { cutAndCompare } from "./support/cut_streams.ts";
import { openTestKv } from "./support/open_kv.ts";

Deno.test("a client disconnected at 200 points receives the same frames as a connected one", async () => {
  using kv = await openTestKv();
  await cutAndCompare(1, [kv]);
});

Deno.test("a client disconnected at 200 points, reconnecting to any process, receives the same frames", async () => {
  using kv = await openTestKv();
  await cutAndCompare(2, [kv, kv]);
});
