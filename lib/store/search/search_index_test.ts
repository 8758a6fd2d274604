import { assert, assertEquals } from "@std/assert";
import { fakeUuid } from "@/tests/support/fake_runtime.ts";
import { meteredKv } from "@/tests/support/metered_kv.ts";
import { keys } from "../keys/keys.ts";
import { packHashes, SearchIndex } from "./search_index.ts";
import { bucketOf, SEGMENT_RUNS } from "./search_segment.ts";
import type { RunFilter } from "./search_span.ts";

const TENANT = fakeUuid(1);
const [SHOP, OTHER] = [fakeUuid(2), fakeUuid(3)];
/** Of a term. */
const HASH = 7;

/** Ten segments and some runs in none, all with one word, each a second after the one before. */
async function tenSegments(kv: Deno.Kv, agentOf: (n: number) => string) {
  const runs = Array.from({ length: 10 * SEGMENT_RUNS + 8 }, (_, n) => ({
    ...{
      v: 1 as const,
      runId: fakeUuid(n + 1),
      id: fakeUuid(n + 1),
      agentId: agentOf(n),
      page: "",
    },
    ...{ n: 0, at: n * 1_000, exp: 1_000_000_000, terms: packHashes([HASH]) },
  }));
  const state = { v: 1, through: 0, next: 0, recent: runs.length, keyMark: "" };
  await kv.set(keys.searchState(TENANT), state);
  for (const run of runs) await kv.set(keys.searchRecent(TENANT, run.runId), run);
  await new SearchIndex(kv).merge(TENANT, 0);
}

Deno.test("SearchIndex: with a filter, only the segments that have such runs are read", async () => {
  using store = await Deno.openKv(":memory:");
  const isRare = (n: number) => n >= 5 * SEGMENT_RUNS && n < 5 * SEGMENT_RUNS + 3;
  await tenSegments(store, (n) => isRare(n) ? OTHER : SHOP);
  const meter = meteredKv(store);
  const read = async (filter: RunFilter) => {
    meter.take();
    const found = new SearchIndex(meter.kv).find(TENANT, { hashes: [HASH], filter, now: 0 });
    const segments = new Set((await Array.fromAsync(found)).map(({ segment }) => segment));
    const { gets, lists } = meter.take();
    return { segments: [...segments].filter((one) => one < 10), gets, lists };
  };
  const all = await read({});
  assertEquals([all.segments.length, all.gets, all.lists], [10, 10, 2]);
  assertEquals(await read({ agentId: OTHER }), { segments: [5], gets: 1, lists: 3 });
  const minute = { from: 7 * SEGMENT_RUNS * 1_000, to: (7 * SEGMENT_RUNS + 60) * 1_000 };
  assertEquals(await read(minute), { segments: [7], gets: 1, lists: 3 });
  assertEquals(await read({ ...minute, agentId: OTHER }), { segments: [], gets: 0, lists: 3 });
  // What a release without spans has made or changed may have any run.
  await store.delete(keys.searchSpan(TENANT, 2));
  const bucket = keys.searchBucket(TENANT, bucketOf(HASH), 3);
  await store.set(bucket, (await store.get(bucket)).value);
  assertEquals((await read({ agentId: OTHER })).segments, [5, 3, 2]);
});

Deno.test("SearchIndex: what a deleted run left behind no longer counts for its segment", async () => {
  using kv = await Deno.openKv(":memory:");
  await tenSegments(kv, (n) => n === 3 ? OTHER : SHOP);
  await new SearchIndex(kv).erase(TENANT, [fakeUuid(4)], 0);
  const { value } = await kv.get(keys.searchSpan(TENANT, 0));
  const last = (SEGMENT_RUNS - 1) * 1_000;
  assertEquals(value, { v: 1, from: 0, to: last, agents: [SHOP] });
  const search = { hashes: [HASH], filter: { agentId: OTHER }, now: 0 };
  const found = await Array.fromAsync(new SearchIndex(kv).find(TENANT, search));
  assert(found.every(({ segment }) => segment > 9), "none of the segments is read");
});
