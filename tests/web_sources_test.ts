/** Websites as sources of a knowledge base: crawled, refreshed, and bounded to one host. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { openCrawls, outcomes } from "./support/crawls.ts";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { pageOf, serveSite } from "./support/test_site.ts";
import { TestService } from "./support/service.ts";

const DAY_MS = 86_400_000;

Deno.test("a site is crawled breadth first; its pages are found, with their address", async () => {
  await using site = serveSite({
    "/": pageOf("Shop", "We sell books of every kind.", ["/returns", "/shipping#costs"]),
    "/returns": pageOf("Returns", "You may return any book within thirty days.", ["/deep"]),
    "/shipping": pageOf("Shipping", "Parcels to Norway take nine days."),
    "/deep": pageOf("Deep", "Opening hours are from ten to six."),
  });
  await using crawls = await openCrawls();
  const report = await crawls.crawl(site.url());
  assertEquals(report.state, "idle");
  assertEquals(report.lastCrawl?.counts, {
    ...{ added: 4, changed: 0, unchanged: 0, removed: 0, skipped: 0, failed: 0 },
  });
  assertEquals(site.paths(), ["/robots.txt", "/", "/returns", "/shipping", "/deep"]);
  const [found] = await crawls.search("how long may I return a book");
  assertEquals([found?.title, found?.url], ["Returns", site.url("/returns")]);
  const documents = await crawls.documents();
  assertEquals(documents.map(({ state }) => state), Array(4).fill("ready"));
  assertMatch(site.requests[1]!.headers.get("user-agent")!, /^AgentChatService\/1/);
  assertEquals(site.mostInFlight, 1);
});

Deno.test("navigation is left out of a page's text, and a page without an article is read whole", async () => {
  await using site = serveSite({
    "/": pageOf("Shop", "We sell books of every kind.", ["/prices"]),
    "/prices": "<title>Prices</title><table><tr><th>Book</th><th>Price</th></tr>" +
      "<tr><td>Atlas</td><td>40 euros</td></tr></table>",
  });
  await using crawls = await openCrawls();
  await crawls.crawl(site.url());
  assertEquals((await crawls.search("atlas euros"))[0]?.title, "Prices");
  const [shop] = await crawls.search("books of every kind");
  assert(!shop!.text.includes("/prices"), shop!.text);
});

Deno.test("a refresh asks with the validators, and processes only the page that changed", async () => {
  const tagged = (etag: string, body: string) => (request: Request) =>
    request.headers.get("if-none-match") === etag
      ? { status: 304 }
      : { headers: { "content-type": "text/html", etag }, body };
  await using site = serveSite({
    "/": tagged('"1"', pageOf("Shop", "We sell books of every kind.", ["/a", "/b"])),
    "/a": pageOf("A", "The library opens at ten."),
    "/b": pageOf("B", "The café closes at six."),
  });
  await using crawls = await openCrawls();
  const first = await crawls.crawl(site.url());
  const before = await crawls.documents();
  site.pages["/b"] = pageOf("B", "The café closes at midnight.");
  crawls.clock.advance(60_000);
  const second = await crawls.refresh(first.id);
  assertEquals(second.lastCrawl?.counts, {
    ...{ added: 0, changed: 1, unchanged: 2, removed: 0, skipped: 0, failed: 0 },
  });
  const after = await crawls.documents();
  const changed = after.filter((one) => !before.some((old) => equal(old, one)));
  assertEquals(changed.map(({ title }) => title), ["B"]);
  assertMatch((await crawls.search("café midnight"))[0]!.text, /midnight/);
});

Deno.test("pages that are gone are removed; those that fail keep what was read", async () => {
  await using site = serveSite({
    "/": pageOf("Shop", "We sell books of every kind.", ["/a", "/b", "/c"]),
    "/a": pageOf("A", "The library opens at ten."),
    "/b": pageOf("B", "The café closes at six."),
    "/c": pageOf("C", "The garden has forty trees."),
  });
  await using crawls = await openCrawls();
  const { id } = await crawls.crawl(site.url());
  site.pages["/a"] = { status: 410 };
  site.pages["/b"] = { status: 503 };
  // Nothing leads to it any more, but it is still there.
  site.pages["/"] = pageOf("Shop", "We sell books of every kind.", ["/a", "/b"]);
  const report = await crawls.refresh(id);
  assertEquals(outcomes(report), { "/": "stored", "/a": "gone", "/b": "status", "/c": "stored" });
  assertEquals(titles(await crawls.documents()), ["B", "C", "Shop"]);
  assertEquals(report.lastCrawl?.counts.removed, 1);
  assertEquals(report.pages.find(({ url }) => url.endsWith("/b"))?.status, 503);
});

Deno.test("robots.txt is obeyed: rules, groups, and what its absence or failure means", async () => {
  await using site = serveSite({
    "/robots.txt": {
      headers: { "content-type": "text/plain" },
      body: "User-agent: *\nDisallow: /\n\nUser-agent: AgentChatService\nDisallow: /private\n" +
        "Allow: /private/open\nCrawl-delay: 3\n",
    },
    "/": pageOf("Shop", "We sell books.", ["/private/x", "/private/open", "/a"]),
    "/private/x": pageOf("X", "Nothing for you."),
    "/private/open": pageOf("Open", "The museum is open on Mondays."),
    "/a": pageOf("A", "The library opens at ten."),
  });
  await using crawls = await openCrawls();
  const report = await crawls.crawl(site.url());
  assertEquals(outcomes(report)["/private/x"], "robots");
  assert(!site.paths().includes("/private/x"));
  assertEquals(titles(await crawls.documents()), ["A", "Open", "Shop"]);
  assert(crawls.clock.pauses.includes(3_000), `${crawls.clock.pauses}`);
  site.pages["/robots.txt"] = { status: 500 };
  const asked = site.requests.length;
  const stopped = await crawls.refresh(report.id);
  assertEquals(stopped.lastCrawl?.error, "robots_unavailable");
  assertEquals(site.paths().slice(asked), ["/robots.txt"]);
  assertEquals((await crawls.documents()).length, 3);
  site.pages["/robots.txt"] = { status: 403 };
  const allowed = await crawls.refresh(report.id);
  assertEquals([allowed.lastCrawl?.error, outcomes(allowed)["/private/x"]], [undefined, "stored"]);
});

Deno.test("noindex and nofollow count as meta element and as header, canonical links name the page", async () => {
  const meta = (content: string) => `<meta name="robots" content="${content}">`;
  await using site = serveSite({
    "/": pageOf("Shop", "We sell books.", ["/hidden", "/list", "/header", "/a?from=home"]),
    "/hidden": meta("noindex") + pageOf("Hidden", "Behind it is more.", ["/behind"]),
    "/behind": pageOf("Behind", "The tower has eighty steps."),
    "/list": meta("nofollow") + pageOf("List", "A list of things.", ["/unseen"]),
    "/unseen": pageOf("Unseen", "Not followed."),
    "/header": {
      headers: { "content-type": "text/html", "x-robots-tag": "otherbot: nofollow, noindex" },
      body: pageOf("Header", "For others only."),
    },
    "/a?from=home": '<link rel="canonical" href="/a">' + pageOf("A", "The library opens at ten."),
    "/a": '<link rel="canonical" href="/a">' + pageOf("A", "The library opens at ten."),
  });
  await using crawls = await openCrawls();
  const report = await crawls.crawl(site.url());
  assertEquals(outcomes(report), {
    "/": "stored",
    "/a": "stored",
    "/a?from=home": "canonical",
    "/behind": "stored",
    "/header": "stored",
    "/hidden": "noindex",
    "/list": "stored",
  });
});

Deno.test("a sitemap lists the pages, also through an index and compressed", async () => {
  const urls = (...paths: string[]) =>
    `<?xml version="1.0"?><urlset>${
      paths.map((path) => `<url><loc>${site.url(path)}</loc></url>`).join("")
    }</urlset>`;
  const xml = { "content-type": "application/xml" };
  await using site = serveSite({
    "/a": pageOf("A", "The library opens at ten.", ["/not-listed"]),
    "/b": pageOf("B", "The café closes at six."),
  });
  site.pages["/sitemap.xml"] = {
    headers: xml,
    body: `<sitemapindex><sitemap><loc>${site.url("/one.xml")}</loc></sitemap>` +
      `<sitemap><loc>${site.url("/two.xml.gz")}</loc></sitemap>` +
      `<sitemap><loc>${site.url("/sitemap.xml")}</loc></sitemap></sitemapindex>`,
  };
  site.pages["/one.xml"] = { headers: xml, body: urls("/a", "/missing") };
  site.pages["/two.xml.gz"] = {
    headers: { "content-type": "application/gzip" },
    body: await gzip(urls("/b")),
  };
  await using crawls = await openCrawls();
  const report = await crawls.crawl(site.url("/sitemap.xml"), { kind: "sitemap" });
  assertEquals(outcomes(report), { "/a": "stored", "/b": "stored", "/missing": "gone" });
});

Deno.test("a single page is one document; text and other encodings are read", async () => {
  await using site = serveSite({
    "/page": pageOf("Page", "The library opens at ten.", ["/other"]),
    "/sjis": {
      headers: { "content-type": "text/html" },
      // 図書館 and 営業時間 in Shift_JIS.
      body: concat([
        '<meta charset="shift_jis"><title>',
        [0x90, 0x7d, 0x8f, 0x91, 0x8a, 0xd9],
        "</title><p>",
        [0x89, 0x63, 0x8b, 0xc6, 0x8e, 0x9e, 0x8a, 0xd4],
        "</p>",
      ]),
    },
    "/cp1251": {
      headers: { "content-type": "text/plain; charset=windows-1251" },
      body: new Uint8Array([0xc1, 0xe8, 0xe1, 0xeb, 0xe8, 0xee, 0xf2, 0xe5, 0xea, 0xe0]),
    },
  });
  await using crawls = await openCrawls();
  const report = await crawls.crawl(site.url("/page"), { kind: "page" });
  assertEquals([report.maxPages, outcomes(report)], [1, { "/page": "stored" }]);
  await crawls.crawl(site.url("/sjis"), { kind: "page" });
  await crawls.crawl(site.url("/cp1251"), { kind: "page" });
  assertEquals((await crawls.search("営業時間"))[0]?.title, "図書館");
  assertEquals((await crawls.search("Библиотека"))[0]?.text, "Библиотека");
});

Deno.test("a crawl asks no other host, whatever leads there", async () => {
  await using other = serveSite({ "*": pageOf("Other", "Somewhere else.") });
  await using site = serveSite({});
  const there = other.url("/x");
  Object.assign(site.pages, {
    "/": `<base href="${other.url()}">` + pageOf("Shop", "We sell books.", [there, "relative"]),
    "/sitemap.xml": {
      headers: { "content-type": "application/xml" },
      body: `<urlset><url><loc>${there}</loc></url><url><loc>${site.url("/redirect")}</loc></url>` +
        `<url><loc>${site.url("/canonical")}</loc></url><url><loc>${site.url("/refresh")}</loc>` +
        `</url><url><loc>http://user@${site.host}/</loc></url></urlset>`,
    },
    "/redirect": { status: 302, headers: { location: there } },
    "/canonical": `<link rel="canonical" href="${there}">` + pageOf("C", "Its own words."),
    "/refresh": `<meta http-equiv="refresh" content="0; url=${there}">` + pageOf("R", "Wait."),
  });
  await using crawls = await openCrawls();
  const listed = await crawls.crawl(site.url("/sitemap.xml"), { kind: "sitemap" });
  assertEquals(outcomes(listed), {
    ...{ "/canonical": "stored", "/redirect": "other_host", "/refresh": "stored" },
  });
  await crawls.crawl(site.url());
  site.pages["/robots.txt"] = { status: 302, headers: { location: other.url("/robots.txt") } };
  const robots = await crawls.refresh(listed.id);
  assertEquals(robots.lastCrawl?.error, "robots_unavailable");
  assertEquals(other.requests.length, 0);
});

Deno.test("internal addresses stay blocked unless the operator allows them", async () => {
  await using site = serveSite({ "/": pageOf("Shop", "We sell books.") });
  await using crawls = await openCrawls({ env: {} });
  const report = await crawls.crawl(site.url());
  assertEquals(report.lastCrawl?.error, "address_not_allowed");
  assertEquals(site.requests.length, 0);
});

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

function titles(documents: readonly { title: string }[]): string[] {
  return documents.map(({ title }) => title).sort();
}

function equal(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function concat(parts: (string | number[])[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    parts.flatMap((part) => typeof part === "string" ? [...new TextEncoder().encode(part)] : part),
  );
}
