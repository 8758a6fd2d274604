/**
 * Websites that want a crawl to hang, to leave its host or to exhaust the service. Each ends by a bound
 * that is counted in requests or bytes, or by the injected clock, so no test waits for real time.
 */
import { assert, assertEquals } from "@std/assert";
import { openCrawls, outcomes } from "./support/crawls.ts";
import { HOSTILE_SITES } from "./support/hostile_sites.ts";
import { serveRaw, write, writeForever } from "./support/raw_site.ts";
import { serveSite } from "./support/test_site.ts";

/** As long as one request may take. */
const PAGE_TIMEOUT_MS = 20_000;

for (const { name, pages, start = "/", body = {}, check } of HOSTILE_SITES) {
  Deno.test(`hostile site: ${name}`, async () => {
    await using site = serveSite();
    Object.assign(site.pages, typeof pages === "function" ? pages(site) : pages);
    await using crawls = await openCrawls();
    const report = await crawls.crawl(site.url(start), body);
    assertEquals(report.state, "idle");
    const documents = (await crawls.documents()).map(({ title }) => title);
    check({ report, site, documents });
  });
}

const NO_ROBOTS = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
const isRobots = (request: string) => request.startsWith("GET /robots.txt ");

const RAW: Record<string, { answer: string; more?: string; outcome: string }> = {
  "headers without end": {
    answer: "HTTP/1.1 200 OK\r\n",
    more: "x-a: b\r\n",
    outcome: "too_large",
  },
  "what is not HTTP": { answer: "\0\x01\x02 hello\r\n\r\n", outcome: "unreachable" },
  "chunk extensions without end": {
    answer: "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n1;",
    more: "a",
    outcome: "unreachable",
  },
  "early hints without end": {
    answer: "",
    more: "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n",
    outcome: "unreachable",
  },
  "a body that breaks off": {
    answer: "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 900\r\n\r\n<p>x",
    outcome: "unreachable",
  },
};

for (const [name, { answer, more, outcome }] of Object.entries(RAW)) {
  Deno.test(`hostile server: ${name}`, async () => {
    await using site = serveRaw(async (request, connection) => {
      if (isRobots(request)) return await write(connection, NO_ROBOTS);
      await write(connection, answer);
      if (more !== undefined) await writeForever(connection, more);
    });
    await using crawls = await openCrawls();
    const report = await crawls.crawl(site.url());
    assertEquals(report.state, "idle");
    const [reason] = Object.values(outcomes(report));
    assert(reason === outcome || reason === "too_large", reason);
  });
}

Deno.test("hostile server: one that never answers, and one that drips, end at the time limit", async () => {
  for (const answer of ["", "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<p>"]) {
    const crawls = await openCrawls();
    await using _ = crawls;
    await using site = serveRaw(async (request, connection) => {
      if (isRobots(request)) return await write(connection, NO_ROBOTS);
      await write(connection, answer);
      crawls.clock.passTimeouts(PAGE_TIMEOUT_MS);
      // Until the crawl hangs up.
      await connection.read(new Uint8Array(1));
    });
    const report = await crawls.crawl(site.url(), { kind: "page" });
    assertEquals(outcomes(report), { "/": "timeout" });
  }
});
