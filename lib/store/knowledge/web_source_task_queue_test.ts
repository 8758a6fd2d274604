import { assert, assertEquals, assertRejects } from "@std/assert";
import { openTestKv } from "@/tests/support/open_kv.ts";
import { crawlClock } from "@/tests/support/crawls.ts";
import { systemRuntime } from "../../platform/runtime.ts";
import { keys } from "../keys/keys.ts";
import { KnowledgeBaseStore } from "./knowledge_base_store.ts";
import { NO_COUNTS } from "./web_source_record.ts";
import { WebSourceStore } from "./web_source_store.ts";
import { CRAWL_CLAIM_MS, CrawlLostError, WebSourceTaskQueue } from "./web_source_task_queue.ts";

async function open() {
  const kv = await openTestKv();
  const clock = crawlClock();
  const runtime = { ...systemRuntime, ...clock.runtime };
  const bases = new KnowledgeBaseStore(kv, runtime);
  const sources = new WebSourceStore(kv, runtime);
  const queue = () => new WebSourceTaskQueue(kv, runtime);
  const add = async (tenant: string) => {
    const { id: base } = await bases.create(tenant, { name: "Shop" });
    const body = { url: "https://a.example/", kind: "site", schedule: "daily" } as const;
    const created = await sources.create({ tenant, base }, body);
    assert("source" in created);
    return { tenant, base, id: created.source.id };
  };
  return { kv, clock, sources, queue, add, [Symbol.dispose]: () => kv.close() };
}

const page = (crawl: string) => ({
  ...{ v: 1, url: "https://a.example/", crawl, state: "skipped", depth: 0, checkedAt: 1 } as const,
});

Deno.test("WebSourceTaskQueue: one of many takes a crawl, and tenants take turns", async () => {
  using on = await open();
  const a = [await on.add("a"), await on.add("a"), await on.add("a")];
  const b = await on.add("b");
  const queues = [on.queue(), on.queue(), on.queue()];
  const first = await queues[0]!.take();
  const second = await queues[0]!.take();
  assertEquals([first?.of.tenant, second?.of.tenant], ["a", "b"]);
  const taken = await Promise.all(queues.map((queue) => queue.take()));
  const ids = [first, second, ...taken].flatMap((crawl) => crawl === undefined ? [] : crawl.of.id);
  assertEquals(ids.toSorted(), [...a, b].map(({ id }) => id).toSorted());
});

Deno.test("WebSourceTaskQueue: a crawl of a dead process is taken again, whose writes then fail", async () => {
  using on = await open();
  await on.add("a");
  const dead = (await on.queue().take())!;
  assertEquals(await on.queue().take(), undefined);
  on.clock.advance(CRAWL_CLAIM_MS);
  const next = (await on.queue().take())!;
  assertEquals([next.of, next.tries], [dead.of, 1]);
  const write = () => on.queue().savePage(dead, { page: page(dead.id), counts: NO_COUNTS });
  await assertRejects(write, CrawlLostError);
  await assertRejects(() => on.queue().finish(dead, { counts: NO_COUNTS }), CrawlLostError);
  await on.queue().release(dead);
  assertEquals((await on.queue().pages(dead.of)).size, 0);
  await on.queue().savePage(next, { page: page(next.id), counts: NO_COUNTS });
  await on.queue().finish(next, { counts: { ...NO_COUNTS, skipped: 1 } });
  const source = await on.sources.find(next.of);
  assertEquals([source?.state, source?.lastCrawl?.counts.skipped], ["idle", 1]);
});

Deno.test("WebSourceTaskQueue: a claim that is renewed does not expire", async () => {
  using on = await open();
  await on.add("a");
  const crawl = (await on.queue().take())!;
  for (let n = 0; n < 5; n++) {
    on.clock.advance(CRAWL_CLAIM_MS - 1);
    await on.queue().renew(crawl, { ...NO_COUNTS, added: n });
    assertEquals(await on.queue().take(), undefined);
  }
  const source = await on.sources.find(crawl.of);
  assertEquals([source?.state, source?.progress?.added], ["crawling", 4]);
});

Deno.test("WebSourceTaskQueue: after three processes died, the crawl waits for its next turn", async () => {
  using on = await open();
  const of = await on.add("a");
  for (let n = 0; n < 3; n++) {
    assert(await on.queue().take() !== undefined);
    on.clock.advance(CRAWL_CLAIM_MS);
  }
  assertEquals(await on.queue().take(), undefined);
  const source = await on.sources.find(of);
  assertEquals([source?.state, source?.lastCrawl?.error], ["idle", "interrupted"]);
  on.clock.advance(86_400_000);
  assertEquals((await on.queue().take())?.tries, 0);
});

Deno.test("WebSourceTaskQueue: a crawl whose source was deleted stops, and its task goes", async () => {
  using on = await open();
  const of = await on.add("a");
  const crawl = (await on.queue().take())!;
  await on.sources.delete(of);
  await assertRejects(() => on.queue().renew(crawl, NO_COUNTS), CrawlLostError);
  await on.kv.set(keys.webSourceTask(of), { v: 1, due: 0, until: 0, tries: 0 });
  assertEquals(await on.queue().take(), undefined);
  assertEquals((await on.kv.get(keys.webSourceTask(of))).value, null);
});
