/** A whole service on an engine that takes fewer checks an atomic than the local file. */
import { assert, assertEquals } from "@std/assert";
import { openTestKv } from "./support/open_kv.ts";
import { floodSession } from "./support/flood_session.ts";
import { DENOKV, limitedKv } from "./support/limited_kv.ts";

Deno.test("on denokv's limits, 200 messages at once through two processes are 50 answers and 150 429s, never a 503", async () => {
  using store = await openTestKv();
  const limited = limitedKv(store, DENOKV);
  const outcomes = await floodSession(200, [limited.kv, limited.kv]);
  assertEquals(outcomes, { done: 50, "429 rate_limit_exceeded": 150 });
  assert(limited.sent.some((checks) => checks > DENOKV.checks), "no batch was too large");
  // Each process learns the limit from the batches it had under way, and stays within it.
  assert(limited.refused <= 16, `${limited.refused} refusals`);
});
