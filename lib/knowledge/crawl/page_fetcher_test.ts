import { assertEquals, assertRejects } from "@std/assert";
import { crawlClock } from "@/tests/support/crawls.ts";
import { EgressServer, PUBLIC_ADDRESS } from "@/tests/support/egress_server.ts";
import { CrawlScope } from "./crawl_scope.ts";
import { HostPace } from "./host_pace.ts";
import { AddressNotAllowedError, PageFetcher } from "./page_fetcher.ts";

function fetcherOf({ egress }: EgressServer, clock = crawlClock()) {
  const scope = new CrawlScope(new URL("https://example.com/"));
  return new PageFetcher({ egress, pace: new HostPace(clock.runtime) }, { scope, tenant: "t" });
}

const options = () => ({ signal: new AbortController().signal });

Deno.test("PageFetcher: a name that resolves to an internal address later is not asked again", async () => {
  const answers = [[PUBLIC_ADDRESS], ["10.0.0.7"], [PUBLIC_ADDRESS, "127.0.0.1"]];
  await using server = new EgressServer(() => new Response("x"), {
    resolver: () => Promise.resolve(answers.shift() ?? []),
  });
  const fetcher = fetcherOf(server);
  const page = new URL("https://example.com/");
  assertEquals((await fetcher.fetch(page, options())).kind, "content");
  await assertRejects(() => fetcher.fetch(page, options()), AddressNotAllowedError);
  await assertRejects(() => fetcher.fetch(page, options()), AddressNotAllowedError);
  assertEquals([server.seen.length, server.dialled], [1, [PUBLIC_ADDRESS]]);
});

Deno.test("PageFetcher: another host is not even resolved", async () => {
  const asked: string[] = [];
  await using server = new EgressServer(() => new Response("x"), {
    resolver: (host) => {
      asked.push(host);
      return Promise.resolve([PUBLIC_ADDRESS]);
    },
  });
  const fetcher = fetcherOf(server);
  const urls = ["https://other.example/", "http://example.com/", "https://example.com:8443/"];
  for (const url of urls) {
    assertEquals(await fetcher.fetch(new URL(url), options()), {
      ...{ kind: "no_content", reason: "other_host" },
    });
  }
  assertEquals(
    (await fetcher.fetch(new URL("https://www.example.com/"), options())).kind,
    "content",
  );
  assertEquals(asked, ["www.example.com"]);
});

Deno.test("PageFetcher: one request at a time to a host, with the pause that it asks for, bounded", async () => {
  let most = 0;
  let now = 0;
  await using server = new EgressServer(async () => {
    most = Math.max(most, ++now);
    await Promise.resolve();
    now--;
    return new Response("x");
  });
  const clock = crawlClock();
  const fetcher = fetcherOf(server, clock);
  const ask = (delayMs?: number) =>
    fetcher.fetch(new URL("https://example.com/"), { ...options(), delayMs });
  await Promise.all([ask(), ask(), ask(2_000)]);
  assertEquals([most, clock.pauses], [1, [500, 2_000]]);
  const long = ask(3_600_000);
  await Promise.resolve();
  clock.passTimeouts(10_000);
  assertEquals((await long).kind, "content");
});
