import { assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { keys } from "@/lib/store/keys/keys.ts";
import { dropDocument, putDocument } from "@/tests/support/passages.ts";
import { KnowledgeIndexCache } from "./knowledge_index_cache.ts";
import type { PassageSource } from "./passage_source.ts";
import { fuseRanks, KnowledgeSearch } from "./knowledge_search.ts";
import { KvPassageSource } from "./passage_source.ts";

const BASE = { tenant: "t", base: "b" };
const of = (id: string) => ({ ...BASE, id });
const PLANTS = "The plants in the garden are watered by us every morning.";
const BIKES = "The bicycles that we rent out are repaired in the workshop.";

async function titles(search: KnowledgeSearch, query: string): Promise<string[] | undefined> {
  const found = await search.search(BASE, { query, limit: 5 });
  return found?.map(({ title }) => title);
}

/** Counts reads of passages. */
class CountingChunks extends KvPassageSource {
  readonly read: string[] = [];

  override readPassages(...[of, revision]: Parameters<KvPassageSource["readPassages"]>) {
    this.read.push(of.id);
    return super.readPassages(of, revision);
  }
}

Deno.test("KnowledgeSearch: returns the passage, its position and its matches", async () => {
  using kv = await Deno.openKv(":memory:");
  const passages = [PLANTS, { text: BIKES, headingPath: ["Service", "Workshop"] }];
  await putDocument(kv, of("d1"), { title: "Handbook", passages });
  const found = await new KnowledgeSearch(new KvPassageSource(kv))
    .search(BASE, { query: "repair bicycle", limit: 1, explain: true });
  assertEquals(found?.map(({ score: _, ...rest }) => rest), [{
    documentId: "d1",
    title: "Handbook",
    headingPath: ["Service", "Workshop"],
    position: 1,
    text: BIKES,
    matches: [[4, 12], [34, 42]],
  }]);
});

Deno.test("KnowledgeSearch: a missing base is undefined, an empty one has no results", async () => {
  using kv = await Deno.openKv(":memory:");
  const search = new KnowledgeSearch(new KvPassageSource(kv));
  assertEquals(await titles(search, "x"), undefined);
  await kv.set(keys.knowledgeBase("t", "b"), { v: 1 });
  assertEquals(await titles(search, "x"), []);
  assertEquals(
    await search.search({ ...BASE, tenant: "other" }, { query: "x", limit: 1 }),
    undefined,
  );
});

Deno.test("KnowledgeSearch: the next search sees the changes of other processes", async () => {
  using kv = await Deno.openKv(":memory:");
  await putDocument(kv, of("d1"), { title: "Plants", passages: [PLANTS] });
  const [one, two] = [0, 1].map(() => new KnowledgeSearch(new KvPassageSource(kv)));
  for (const search of [one!, two!]) assertEquals(await titles(search, "garden"), ["Plants"]);
  await putDocument(kv, of("d2"), { title: "Bikes", passages: [BIKES] });
  for (const search of [one!, two!]) assertEquals(await titles(search, "workshop"), ["Bikes"]);
  await dropDocument(kv, of("d1"));
  for (const search of [one!, two!]) assertEquals(await titles(search, "garden"), []);
});

Deno.test("KnowledgeSearch: after a change, only changed documents are read", async () => {
  using kv = await Deno.openKv(":memory:");
  const source = new CountingChunks(kv);
  const search = new KnowledgeSearch(source);
  await putDocument(kv, of("d1"), { title: "Plants", passages: [PLANTS] });
  await putDocument(kv, of("d2"), { title: "Bikes", passages: [BIKES] });
  await titles(search, "garden");
  await titles(search, "garden");
  assertEquals(source.read.splice(0), ["d1", "d2"]);
  await putDocument(kv, of("d2"), { title: "Boats", passages: ["We rent out boats."] });
  assertEquals(await titles(search, "boat"), ["Boats"]);
  assertEquals(await titles(search, "bicycle"), []);
  assertEquals(source.read, ["d2"]);
});

Deno.test("KnowledgeSearch: concurrent searches wait for one index", async () => {
  using kv = await Deno.openKv(":memory:");
  const source = new CountingChunks(kv);
  const search = new KnowledgeSearch(source);
  await putDocument(kv, of("d1"), { title: "Plants", passages: [PLANTS] });
  const found = await Promise.all(Array.from({ length: 5 }, () => titles(search, "garden")));
  assertEquals(found, Array(5).fill(["Plants"]));
  assertEquals(source.read, ["d1"]);
});

Deno.test("KnowledgeSearch: a document without passages is skipped until the next change", async () => {
  using kv = await Deno.openKv(":memory:");
  await putDocument(kv, of("d1"), { title: "Plants", passages: [PLANTS] });
  const stored = new KvPassageSource(kv);
  let gone = true;
  const source: PassageSource = {
    readState: (base) => stored.readState(base),
    readRevisions: (base) => stored.readRevisions(base),
    readPassages: (...call) => gone ? Promise.resolve(undefined) : stored.readPassages(...call),
  };
  const search = new KnowledgeSearch(source);
  assertEquals(await titles(search, "garden"), []);
  gone = false;
  await kv.set(keys.knowledgeBase("t", "b"), { v: 1 });
  assertEquals(await titles(search, "garden"), ["Plants"]);
});

Deno.test("KnowledgeSearch: a failing store fails the search, and the next one starts over", async () => {
  using kv = await Deno.openKv(":memory:");
  await putDocument(kv, of("d1"), { title: "Plants", passages: [PLANTS] });
  const stored = new KvPassageSource(kv);
  let fails = 1;
  const source: PassageSource = {
    readState: (base) => stored.readState(base),
    readRevisions: (base) => stored.readRevisions(base),
    readPassages: (...call) =>
      fails-- > 0 ? Promise.reject(new Error("store away")) : stored.readPassages(...call),
  };
  const search = new KnowledgeSearch(source);
  await assertRejects(() => titles(search, "garden"), Error, "store away");
  assertEquals(await titles(search, "garden"), ["Plants"]);
});

Deno.test("KnowledgeIndexCache: evicts the least recently used base", async () => {
  using kv = await Deno.openKv(":memory:");
  const source = new CountingChunks(kv);
  const base = (n: number) => ({ tenant: "t", base: `b${n}` });
  for (const n of [1, 2, 3]) {
    await putDocument(kv, { ...base(n), id: `d${n}` }, { passages: [PLANTS] });
  }
  const probe = await new KnowledgeIndexCache(source).findCurrent(base(1));
  source.read.length = 0;
  const indexes = new KnowledgeIndexCache(source, { maxBytes: probe!.bytes * 2.5 });
  for (const n of [1, 2, 1, 3, 1, 2]) await indexes.findCurrent(base(n));
  assertEquals(source.read, ["d1", "d2", "d3", "d2"]);
  assertEquals(indexes.size, 2);
});

Deno.test("KnowledgeIndexCache: a base larger than the limit can be searched", async () => {
  using kv = await Deno.openKv(":memory:");
  await putDocument(kv, of("d1"), { title: "Plants", passages: [PLANTS] });
  const search = new KnowledgeSearch(new KvPassageSource(kv), { maxBytes: 1 });
  assertEquals(await titles(search, "garden"), ["Plants"]);
  assertEquals(await titles(search, "garden"), ["Plants"]);
});

const items = (found: { item: string }[]) => found.map(({ item }) => item).join("");

Deno.test("fuseRanks: items that both rankings rank high come first", () => {
  assertEquals(items(fuseRanks([["a", "b", "c"], ["d", "b", "e"]], { limit: 9 })), "badce");
  assertEquals(items(fuseRanks([["a", "b"], []], { limit: 1 })), "a");
  assertEquals(fuseRanks([[], []], { limit: 5 }), []);
});

Deno.test("fuseRanks: scores are sums of reciprocal ranks", () => {
  const [best] = fuseRanks([["x", "a"], ["a"]], { limit: 1 });
  assertEquals(best!.item, "a");
  assertAlmostEquals(best!.score, 1 / 62 + 1 / 61, 1e-12);
});
