/** A whole service on an engine that accepts fewer checks per atomic operation than the local file. */
import { assert, assertEquals } from "@std/assert";
import { openTestKv } from "./support/open_kv.ts";
import { floodSession } from "./support/flood_session.ts";
import { DENOKV, limitedKv } from "./support/limited_kv.ts";

Deno.test("POST /v1/chat/stream: under denokv's limits, 200 concurrent messages to two processes get 50 answers and 150 429s, never a 503", async () => {
  using store = await openTestKv();
  const limited = limitedKv(store, DENOKV);
  const outcomes = await floodSession(200, [limited.kv, limited.kv]);
  assertEquals(outcomes, { done: 50, "429 rate_limit_exceeded": 150 });
  assert(limited.sent.some((checks) => checks > DENOKV.checks), "no batch exceeded the limit");
  // Each process learns the limit from its in-flight batches, and then stays within it.
  assert(limited.rejected <= 16, `${limited.rejected} rejected batches`);
});
