/** Websites as sources of a knowledge base: their schedule, their limits, and their deletion. */
import { assertEquals } from "@std/assert";
import { breakableKv } from "./support/broken_kv.ts";
import { openCrawls, outcomes } from "./support/crawls.ts";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { pageOf, serveSite } from "./support/test_site.ts";
import { TestService } from "./support/service.ts";

const DAY_MS = 86_400_000;

Deno.test("a source takes at most its number of pages, and follows it when it changes", async () => {
  const links = Array.from({ length: 9 }, (_, n) => `/${n}`);
  await using site = serveSite({ "/": pageOf("Shop", "We sell books.", links) });
  for (const link of links) site.pages[link] = pageOf(`Page ${link}`, `About number ${link}.`);
  await using crawls = await openCrawls();
  const { id, lastCrawl } = await crawls.crawl(site.url(), { maxPages: 4 });
  assertEquals([lastCrawl?.counts.added, lastCrawl?.leftOut], [4, true]);
  await expectJson(await crawls.call("PATCH", `/${id}`, { maxPages: 6 }), 200);
  assertEquals((await crawls.refresh(id)).lastCrawl?.counts.added, 2);
  await expectJson(await crawls.call("PATCH", `/${id}`, { maxPages: 3 }), 200);
  assertEquals((await crawls.refresh(id)).lastCrawl?.counts.removed, 3);
  assertEquals((await crawls.documents()).length, 3);
});

Deno.test("a source is crawled again when its schedule says so, by one process at a time", async () => {
  await using site = serveSite({ "/": pageOf("Shop", "We sell books.") });
  await using crawls = await openCrawls();
  const { id, nextCrawlAt } = await crawls.crawl(site.url(), { schedule: "daily" });
  assertEquals(nextCrawlAt, "2026-01-16T12:00:00.500Z");
  const { kv, clock } = crawls;
  await using second = await TestService.start({
    ...{ kv, keepKv: true, runtime: clock.runtime, env: { EGRESS_ALLOW: "127.0.0.1" } },
  });
  const both = [crawls.service.service.crawls, second.service.crawls];
  const wake = async () => {
    for (const one of both) one.wake();
    for (const one of both) await one.whenIdle();
  };
  await wake();
  assertEquals(site.requests.length, 2);
  clock.advance(DAY_MS);
  await wake();
  assertEquals(site.requests.length, 4);
  await expectJson(await crawls.call("PATCH", `/${id}`, { schedule: "off" }), 200);
  clock.advance(10 * DAY_MS);
  await wake();
  assertEquals(site.requests.length, 4);
});

Deno.test("a crawl that is cut off begins again, without documents that belong to no page", async () => {
  const started = Promise.withResolvers<void>();
  const held = Promise.withResolvers<Response>();
  await using site = serveSite({
    "/": pageOf("Shop", "We sell books.", ["/slow"]),
    "/slow": () => {
      started.resolve();
      return new Response(new ReadableStream({ pull: () => held.promise.then(() => {}) }), {
        headers: { "content-type": "text/html" },
      });
    },
  });
  await using crawls = await openCrawls();
  const { kv, clock } = crawls;
  const created = await expectJson(
    await crawls.call("POST", "", { url: site.url(), kind: "site" }),
    201,
  );
  await started.promise;
  assertEquals((await crawls.report(created.id)).state, "crawling");
  await crawls.service.service.crawls.close();
  site.pages["/slow"] = pageOf("Slow", "It took some time.");
  await using second = await TestService.start({
    ...{ kv, keepKv: true, runtime: clock.runtime, env: { EGRESS_ALLOW: "127.0.0.1" } },
  });
  second.service.crawls.wake();
  await second.service.crawls.whenIdle();
  const report = await crawls.report(created.id);
  assertEquals(outcomes(report), { "/": "stored", "/slow": "stored" });
  const ids = report.pages.map(({ documentId }) => documentId).sort();
  assertEquals((await crawls.documents()).map(({ id }) => id).sort(), ids as string[]);
  held.resolve(new Response());
});

Deno.test("a crawl during which the store fails is tried again when its claim has expired", async () => {
  const { kv, break: breakStore } = await breakableKv();
  await using site = serveSite({
    "/": pageOf("Shop", "We sell books.", ["/next"]),
    "/next": () => {
      breakStore("the disk is gone");
      return { headers: { "content-type": "text/html" }, body: pageOf("Next", "There is more.") };
    },
  });
  await using crawls = await openCrawls({ kv });
  const created = await expectJson(
    await crawls.call("POST", "", { url: site.url(), kind: "site" }),
    201,
  );
  await crawls.service.service.crawls.whenIdle();
  breakStore("", []);
  site.pages["/next"] = pageOf("Next", "There is more.");
  const wake = async () => {
    crawls.service.service.crawls.wake();
    await crawls.idle();
  };
  await wake();
  assertEquals((await crawls.report(created.id)).state, "crawling");
  crawls.clock.advance(120_000);
  await wake();
  assertEquals(outcomes(await crawls.report(created.id)), { "/": "stored", "/next": "stored" });
  assertEquals((await crawls.documents()).length, 2);
  kv.close();
});

Deno.test("a source is deleted with its documents, or without", async () => {
  await using site = serveSite({ "/": pageOf("Shop", "We sell books.") });
  await using crawls = await openCrawls();
  const kept = await crawls.crawl(site.url());
  assertEquals((await crawls.call("DELETE", `/${kept.id}?pages=keep`)).status, 204);
  assertEquals((await crawls.documents()).length, 1);
  const gone = await crawls.crawl(site.url());
  assertEquals((await crawls.documents()).length, 2);
  await expectInvalid(await crawls.call("DELETE", `/${gone.id}?pages=some`), ["pages"]);
  assertEquals((await crawls.call("DELETE", `/${gone.id}`)).status, 204);
  assertEquals((await crawls.documents()).length, 1);
  await expectError(await crawls.call("GET", `/${gone.id}`), "not_found");
  await expectError(await crawls.call("POST", `/${gone.id}/refresh`), "not_found");
});

Deno.test("a base's websites are deleted with it, and bounded in number", async () => {
  await using site = serveSite({ "/": pageOf("Shop", "We sell books.") });
  await using crawls = await openCrawls();
  const { kv } = crawls;
  for (let n = 0; n < 20; n++) {
    const json = { url: site.url(`/?n=${n}`), kind: "page" };
    assertEquals((await crawls.call("POST", "", json)).status, 201);
  }
  await expectInvalid(await crawls.call("POST", "", { url: site.url(), kind: "page" }), [""]);
  await crawls.idle();
  assertEquals((await crawls.remove()).status, 204);
  for (const prefix of ["web_sources", "web_pages", "web_source_tasks"]) {
    assertEquals((await Array.fromAsync(kv.list({ prefix: [prefix] }))).length, 0, prefix);
  }
});

Deno.test("another tenant finds no source, and cannot add, refresh or delete one", async () => {
  await using site = serveSite({ "/": pageOf("Shop", "We sell books.") });
  await using crawls = await openCrawls();
  const { service, of } = crawls;
  const { id } = await crawls.crawl(site.url());
  const other = await service.service.tenants.create("Other");
  const { secret } = await service.service.apiKeys.create(other.id, {
    ...{ name: "other", scopes: ["knowledge:write"] },
  });
  const call = (method: string, path: string, json?: unknown) =>
    service.fetch(of(`/sources${path}`), {
      ...{ method, key: secret },
      ...json !== undefined && { json },
    });
  await expectError(await call("GET", ""), "not_found");
  await expectError(await call("POST", "", { url: site.url(), kind: "page" }), "not_found");
  await expectError(await call("GET", `/${id}`), "not_found");
  await expectError(await call("PATCH", `/${id}`, { schedule: "off" }), "not_found");
  await expectError(await call("POST", `/${id}/refresh`), "not_found");
  await expectError(await call("DELETE", `/${id}`), "not_found");
  assertEquals(site.requests.length, 2);
  assertEquals((await crawls.documents()).length, 1);
});

Deno.test("POST sources: rejects what is no web address", async () => {
  await using crawls = await openCrawls();
  for (const url of ["ftp://a.example/", "https://user:pw@a.example/", "a.example", ""]) {
    await expectInvalid(await crawls.call("POST", "", { url, kind: "site" }), ["url"]);
  }
  const url = "https://a.example/";
  await expectInvalid(await crawls.call("POST", "", { url, kind: "feed" }), ["kind"]);
  await expectInvalid(await crawls.call("POST", "", { url, kind: "site", maxPages: 0 }), [
    "maxPages",
  ]);
});
