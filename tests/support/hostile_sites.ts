// Long because it is a list of websites.
import { assert, assertEquals } from "@std/assert";
import type { WebSourceBody, WebSourceReport } from "@/lib/schemas/web_source.ts";
import { outcomes } from "./crawls.ts";
import { pageOf, type PageSource, type TestSite } from "./test_site.ts";

const HTML = { "content-type": "text/html" };
const XML = { "content-type": "application/xml" };
const MIB = 1_048_576;
export interface HostileSite {
  name: string;
  pages: Record<string, PageSource> | ((site: TestSite) => Record<string, PageSource>);
  start?: string;
  body?: Partial<WebSourceBody>;
  check: (result: { report: WebSourceReport; site: TestSite; documents: string[] }) => void;
}

/** The number of the page in its path. */
const numberOf = (request: Request) => Number(/\d+/.exec(new URL(request.url).pathname)?.[0] ?? 0);

/** Websites that want a crawl to hang, to leave its host or to exhaust the service. */
export const HOSTILE_SITES: HostileSite[] = [
  {
    name: "links without end",
    pages: {
      "/robots.txt": { status: 404 },
      "*": (request) => {
        const n = numberOf(request);
        const links = Array.from({ length: 10 }, (_, i) => `/${n * 10 + i + 1}`);
        return { headers: HTML, body: pageOf(`Page ${n}`, `This is page ${n}.`, links) };
      },
    },
    body: { maxPages: 10 },
    check({ report, site }) {
      assertEquals([report.lastCrawl?.counts.added, report.lastCrawl?.leftOut], [10, true]);
      assertEquals(site.requests.length, 11);
    },
  },
  {
    name: "a calendar whose next month is one more query",
    pages: {
      "/robots.txt": { status: 404 },
      "*": (request) => {
        const month = Number(new URL(request.url).searchParams.get("month") ?? 0);
        const links = [`/?month=${month + 1}`, `/?month=${month + 2}`];
        return { headers: HTML, body: pageOf(`Month ${month}`, `Month ${month} is empty.`, links) };
      },
    },
    check({ report, site }) {
      assert(site.requests.length <= 52, `${site.requests.length}`);
      assertEquals(report.lastCrawl?.error, undefined);
    },
  },
  {
    name: "a path that grows by every link",
    pages: {
      "/robots.txt": { status: 404 },
      "*": ({ url }) => ({
        headers: HTML,
        body: pageOf(`At ${url.length}`, `Depth ${url.length}.`, [`${new URL(url).pathname}a/`]),
      }),
    },
    check: ({ report }) => assertEquals(report.lastCrawl?.counts.added, 11),
  },
  {
    name: "redirects in a circle",
    pages: {
      "/": { status: 302, headers: { location: "/a" } },
      "/a": { status: 301, headers: { location: "/" } },
    },
    check({ report, site }) {
      assertEquals(outcomes(report), { "/": "redirects", "/a": "redirects" });
      assertEquals(site.requests.length, 3);
    },
  },
  {
    name: "redirects without end",
    pages: {
      "/robots.txt": { status: 404 },
      "*": (request) => ({ status: 307, headers: { location: `/${numberOf(request) + 1}` } }),
    },
    check: ({ site }) => assertEquals(site.requests.length, 7),
  },
  {
    name: "redirects to internal addresses, other ports and other schemes",
    pages: (site) => ({
      "/": pageOf("Start", "Links to redirects.", ["/1", "/2", "/3", "/4", "/5", "/6", "/7"]),
      "/1": { status: 302, headers: { location: "http://169.254.169.254/latest/meta-data/" } },
      "/2": { status: 302, headers: { location: "http://127.0.0.1:1/" } },
      "/3": { status: 302, headers: { location: "file:///etc/passwd" } },
      "/4": { status: 302, headers: { location: "javascript:alert(1)" } },
      "/5": { status: 302, headers: { location: `http://user:pw@${site.host}/` } },
      "/6": { status: 302, headers: { location: "http://[::ffff:127.0.0.1]/" } },
      "/7": { status: 302, headers: { location: `http://${"a".repeat(9_000)}/` } },
    }),
    check({ report }) {
      const { "/": start, ...others } = outcomes(report);
      assertEquals(start, "stored");
      assertEquals(Object.values(others), Array(7).fill("other_host"));
    },
  },
  {
    name: "a page without end",
    pages: {
      "/": () =>
        new Response(
          new ReadableStream({
            pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(65)),
          }),
          { headers: HTML },
        ),
    },
    check: ({ report }) => assertEquals(outcomes(report), { "/": "too_large" }),
  },
  {
    name: "a small body that unpacks to 200 MB",
    pages: {
      "/": () =>
        new Response(zeros(200).pipeThrough(new CompressionStream("gzip")), {
          headers: { ...HTML, "content-encoding": "gzip" },
        }),
    },
    check: ({ report }) => assertEquals(outcomes(report), { "/": "too_large" }),
  },
  {
    name: "a compressed sitemap that unpacks to 200 MB",
    pages: {
      "/": () =>
        new Response(zeros(200).pipeThrough(new CompressionStream("gzip")), {
          headers: { "content-type": "application/gzip" },
        }),
    },
    body: { kind: "sitemap" },
    check: ({ report }) => assertEquals(report.lastCrawl?.error, "no_sitemap"),
  },
  {
    name: "sitemaps that list each other, and a thousand more",
    pages: (site) => ({
      "/": { headers: XML, body: index(site, ["/", "/b", ...many(1_000, (n) => `/s${n}`)]) },
      "/b": { headers: XML, body: index(site, ["/", "/b"]) },
    }),
    body: { kind: "sitemap" },
    check({ report, site }) {
      assertEquals(report.lastCrawl?.error, undefined);
      assert(site.requests.length <= 52, `${site.requests.length}`);
    },
  },
  {
    name: "a sitemap of 100,000 addresses, with entities that multiply",
    pages: (site) => ({
      "/": {
        headers: XML,
        body: `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>` +
          `<urlset>${
            many(100_000, (n) => `<url><loc>${site.url(`/${n}`)}&b;</loc></url>`).join("")
          }`,
      },
    }),
    body: { kind: "sitemap", maxPages: 5 },
    check: ({ site }) => assert(site.requests.length <= 32, `${site.requests.length}`),
  },
  {
    name: "a robots.txt of 10 MB: its beginning counts",
    pages: {
      "/robots.txt": {
        headers: { "content-type": "text/plain" },
        body: "User-agent: *\nDisallow: /no\n" + "Disallow: /*a*a*a*a*a*a$\n".repeat(400_000),
      },
      "/": pageOf("Start", "The rules are long.", ["/no", `/${"a".repeat(2_000)}b`]),
    },
    check: ({ report }) => assertEquals(outcomes(report)["/no"], "robots"),
  },
  {
    name: "a robots.txt that redirects in a circle",
    pages: { "/robots.txt": { status: 302, headers: { location: "/robots.txt?again" } } },
    check: ({ report }) => assertEquals(report.lastCrawl?.error, "robots_unavailable"),
  },
  {
    name: "types that are wrong, missing or not for reading",
    pages: {
      "/": pageOf("Start", "Links to files.", ["/png", "/mp4", "/none", "/zip"]),
      "/png": { headers: HTML, body: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]) },
      "/mp4": { headers: { "content-type": "video/mp4" }, body: "x" },
      "/none": { headers: {}, body: new TextEncoder().encode(pageOf("None", "Of no type.")) },
      "/zip": { headers: { "content-type": "text/html" }, body: "PK\x03\x04\0\0\0\0" },
    },
    check: ({ report }) =>
      assertEquals(outcomes(report), {
        ...{ "/": "stored", "/mp4": "type", "/none": "stored", "/png": "type", "/zip": "type" },
      }),
  },
  {
    name: "encodings that are unknown, wrong or cut off",
    pages: {
      "/": pageOf("Start", "Links to odd texts.", ["/a", "/b", "/c"]),
      "/a": {
        headers: { "content-type": "text/html; charset=nonsense" },
        body: pageOf("A", "One."),
      },
      "/b": {
        headers: { "content-type": "text/html; charset=utf-16" },
        body: new Uint8Array([0xff, 0xfe, 0x3c, 0, 0x62, 0, 0x3e, 0, 0x42, 0, 0x3d, 0xd8]),
      },
      "/c": {
        headers: { "content-type": `text/html; charset="${"x".repeat(5_000)}"` },
        body: new Uint8Array([0x3c, 0x70, 0x3e, 0xff, 0xc3, 0x28, 0x41]),
      },
    },
    check({ report }) {
      assertEquals([...new Set(Object.values(outcomes(report)))], ["stored"]);
    },
  },
  {
    name: "canonical links that name each other, or another host",
    pages: {
      "/": '<link rel="canonical" href="/b">' + pageOf("A", "The first of two."),
      "/b": '<link rel="canonical" href="/">' + pageOf("B", "The second of two.", ["/c"]),
      "/c": '<link rel="canonical" href="http://other.example/c">' + pageOf("C", "My own words."),
    },
    check: ({ report }) =>
      assertEquals(outcomes(report), { "/": "canonical", "/b": "stored", "/c": "stored" }),
  },
  {
    name: "addresses with credentials, fragments, other schemes and no end",
    pages: (site) => ({
      "/": pageOf("Start", "Odd addresses.", [
        ...many(500, (n) => `/#${n}`),
        ...[`http://a:b@${site.host}/x`, "mailto:a@b.example", "data:text/html,x"],
        ...["javascript:x()", "http://", "http://[", `/${"a".repeat(100_000)}`, "//", "\\\\x\\y"],
        "?utm_source=x#y",
      ]),
    }),
    check: ({ site }) => assertEquals(site.requests.length, 2),
  },
  {
    name: "one page under many queries",
    pages: {
      "/robots.txt": { status: 404 },
      "*": pageOf("Same", "Always the same.", many(200, (n) => `/?session=${n}`)),
    },
    check({ report, site, documents }) {
      assertEquals(documents, ["Same"]);
      assert(site.requests.length <= 52, `${site.requests.length}`);
      assertEquals(report.lastCrawl?.counts.added, 1);
    },
  },
  {
    name: "a page that refreshes to itself, and on to another host",
    pages: {
      "/": '<meta http-equiv="refresh" content="0">' +
        '<meta http-equiv="refresh" content="0;URL=http://other.example/">' +
        pageOf("Start", "Wait for it."),
    },
    check: ({ site }) => assertEquals(site.requests.length, 2),
  },
  {
    name: "a million nested elements",
    pages: { "/": "<div>".repeat(1_000_000) + "text" },
    check: ({ report }) => assertEquals(outcomes(report), { "/": "unreadable" }),
  },
  {
    name: "elements that are nested as deeply as they may be, with many attributes",
    pages: {
      "/": `<title>${"t".repeat(MIB)}</title><p ${many(50_000, (n) => `a${n}=b`).join(" ")}>` +
        "<b>".repeat(5_000) + "Words that can be found." + "<a href=x>".repeat(20_000),
    },
    check({ report, documents }) {
      assertEquals(outcomes(report)["/"], "stored");
      assertEquals(documents.map((title) => title.length), [128]);
    },
  },
  {
    name: "100,000 links to nothing, with a title of a megabyte",
    pages: {
      "/": `<title>${"t".repeat(MIB)}</title><p>Words.</p>` +
        many(100_000, (n) => `<a href="/${n}">x</a>`).join(""),
    },
    body: { maxPages: 10 },
    check({ site, documents }) {
      assertEquals(documents.map((title) => title.length), [128]);
      assert(site.requests.length <= 42, `${site.requests.length}`);
    },
  },
  {
    name: "cookies are neither kept nor sent, and long validators neither",
    pages: {
      "/": ({ headers }) => ({
        headers: { ...HTML, "set-cookie": "id=1", etag: `"${"e".repeat(5_000)}"` },
        body: pageOf("Start", `A cookie: ${headers.get("cookie")}.`, ["/next"]),
      }),
      "/next": pageOf("Next", "There is more."),
    },
    check({ site }) {
      assertEquals(site.requests.map(({ headers }) => headers.get("cookie")), [null, null, null]);
    },
  },
  {
    name: "nothing but errors",
    pages: {
      "/": pageOf("Start", "All is broken.", many(50, (n) => `/${n}`)),
      "/robots.txt": { status: 404 },
      "*": { status: 503, headers: { "retry-after": "86400" } },
    },
    check({ report, site }) {
      assertEquals(report.lastCrawl?.error, "site_unavailable");
      assertEquals(site.requests.length, 7);
    },
  },
  {
    name: "a base element that points to a script",
    pages: { "/": '<base href="javascript:x()"><base href="/b/">' + pageOf("S", "Base.", ["y"]) },
    check: ({ site }) => assertEquals(site.requests.length, 2),
  },
  {
    name: "an informational status as an answer, and one that does not exist",
    pages: {
      "/": pageOf("Start", "Odd statuses.", ["/1", "/2"]),
      "/1": { status: 204, headers: {} },
      "/2": { status: 599 },
    },
    check: ({ report }) =>
      assertEquals(outcomes(report), { "/": "stored", "/1": "status", "/2": "status" }),
  },
];

function many<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n));
}

function index(site: TestSite, paths: string[]): string {
  const entries = paths.map((path) => `<sitemap><loc>${site.url(path)}</loc></sitemap>`);
  return `<sitemapindex>${entries.join("")}</sitemapindex>`;
}

function zeros(mebibytes: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left = mebibytes;
  return new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(new Uint8Array(MIB));
      else controller.close();
    },
  });
}
