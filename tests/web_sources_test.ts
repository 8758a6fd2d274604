/** Websites as sources of a knowledge base: what a crawl reads, and that it stays on one host. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { answerSources } from "@/lib/services/answer_sources.ts";
import { openCrawls, outcomes } from "./support/crawls.ts";
import { makePdf } from "./support/make_pdf.ts";
import { pageOf, serveSite } from "./support/test_site.ts";

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

Deno.test("without worker processes, small pages are read whole, and large ones are skipped", async () => {
  await using site = serveSite({
    "/": pageOf("Shop", "We sell books of every kind.", ["/large"]),
    "/large": pageOf("Large", "A very long page. ".repeat(2_000)),
  });
  await using crawls = await openCrawls({ workers: false });
  const report = await crawls.crawl(site.url());
  assertEquals(outcomes(report), { "/": "stored", "/large": "unreadable" });
  assertEquals((await crawls.search("books of every kind"))[0]?.title, "Shop");
});

Deno.test("a PDF and a Markdown file are read as when they are uploaded", async () => {
  await using site = serveSite({
    "/": pageOf("Shop", "We sell books of every kind.", ["/a.md", "/b.pdf"]),
    "/a.md": {
      headers: { "content-type": "text/markdown; charset=iso-8859-1" },
      body: new Uint8Array([
        0x23,
        0x20,
        0x43,
        0x61,
        0x66,
        0xe9,
        10,
        10,
        0x4d,
        0xfc,
        0x6e,
        0x7a,
        0x65,
      ]),
    },
    "/b.pdf": {
      headers: { "content-type": "application/pdf" },
      body: makePdf([[[12, "The lighthouse was built in 1891."]]]),
    },
  });
  await using crawls = await openCrawls();
  await crawls.crawl(site.url());
  assertEquals((await crawls.search("Münze"))[0]?.title, "a.md");
  assertEquals((await crawls.search("lighthouse"))[0]?.url, site.url("/b.pdf"));
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

Deno.test("an answer's sources link to the pages that it was found on", async () => {
  await using site = serveSite({ "/": pageOf("Shop", "We sell books of every kind.") });
  await using crawls = await openCrawls();
  await crawls.crawl(site.url());
  const [passage] = await crawls.search("books of every kind");
  const sourcesOf = (passages: unknown[]) =>
    answerSources("We sell books of every kind.", [{
      name: "search_knowledge",
      output: { passages },
    }])
      .map(({ title, url }) => [title, url]);
  assertEquals(sourcesOf([passage]), [["Shop", site.url()]]);
  assertEquals(sourcesOf([{ ...passage, url: "javascript:alert(1)" }]), [["Shop", undefined]]);
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
