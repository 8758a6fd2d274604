import { assertEquals, assertRejects } from "@std/assert";
import { EgressServer } from "@/tests/support/egress_server.ts";
import type { EgressRequest } from "./egress.ts";
import { EgressError } from "./egress_error.ts";

const SECRET = "sk_live_1234567890";
const START = "https://tools.example.com/start";

/** A server that redirects `/start` to `location` and responds to everything else. */
function redirecting(location: string, status = 302, addresses: Record<string, string[]> = {}) {
  return new EgressServer(
    ({ url }) =>
      new URL(url).pathname === "/start"
        ? new Response(null, { status, headers: { location } })
        : new Response("arrived"),
    { addresses },
  );
}

function start(server: EgressServer, change: Partial<EgressRequest> = {}) {
  return server.egress.fetch(server.request(START, {
    containsSecret: (text) => text.includes(SECRET),
    ...change,
  }));
}

Deno.test("Egress: a redirect is followed, and each hop is recorded", async () => {
  await using server = redirecting("/next?a=b#c");
  assertEquals((await start(server)).status, 200);
  assertEquals(server.seen.map(({ url }) => url), [START, "https://tools.example.com/next?a=b"]);
  assertEquals(server.calls.map(({ hop, status }) => [hop, status]), [[0, 302], [1, 200]]);
});

Deno.test("Egress: each hop is checked like the first", async () => {
  const elsewhere: Record<string, string[]> = { "in.example.com": ["10.0.0.1"] };
  const targets = [
    "http://tools.example.com/",
    "https://evil.example/",
    "https://in.example.com/",
    "https://127.0.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://2852039166/",
    "https://[::1]/",
    "//evil.example/",
    "\\\\evil.example/",
    "https:evil.example",
    "https://user:word@tools.example.com/",
    "https://tools.example.com:22/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/plain,x",
    "gopher://tools.example.com/",
  ];
  for (const target of targets) {
    await using server = redirecting(target, 302, elsewhere);
    if (target === "https:evil.example") {
      // With the same scheme this is a relative path.
      assertEquals((await start(server)).status, 200);
      continue;
    }
    const error = await assertRejects(() => start(server), EgressError, undefined, target);
    assertEquals(error.code, "domain_not_allowed", target);
    assertEquals(server.seen.length, 1, target);
    assertEquals(server.calls.at(-1)?.refused, error.message);
  }
});

Deno.test("Egress: address literals are rejected on later hops even if allowedDomains names them", async () => {
  for (const host of ["127.0.0.1", "[::1]", "169.254.169.254"]) {
    await using server = redirecting(`https://${host}/`);
    const allowedDomains = ["tools.example.com", host];
    const error = await assertRejects(() => start(server, { allowedDomains }), EgressError);
    assertEquals(error.code, "domain_not_allowed");
    assertEquals(server.dialled.length, 1);
  }
});

Deno.test("Egress: at most five redirects are followed", async () => {
  await using server = new EgressServer(({ url }) => {
    const n = Number(new URL(url).searchParams.get("n"));
    const location = `/?n=${n - 1}`;
    return n === 0
      ? new Response("end")
      : new Response(null, { status: 307, headers: { location } });
  });
  const from = (n: number) =>
    server.egress.fetch(server.request(`https://tools.example.com/?n=${n}`));
  assertEquals((await from(5)).status, 200);
  assertEquals(server.seen.length, 6);
  const error = await assertRejects(() => from(6), EgressError);
  assertEquals([error.code, error.message], ["tool_unreachable", "more than 5 redirects"]);
  assertEquals(server.seen.length, 12);
});

Deno.test("Egress: method and body change as in browsers", async () => {
  const cases: [status: number, method: string, then: string, body: string][] = [
    [301, "POST", "GET", ""],
    [302, "POST", "GET", ""],
    [302, "PUT", "PUT", "{}"],
    [302, "GET", "GET", ""],
    [303, "POST", "GET", ""],
    [303, "PUT", "GET", ""],
    [307, "POST", "POST", "{}"],
    [308, "PATCH", "PATCH", "{}"],
  ];
  for (const [status, method, then, body] of cases) {
    await using server = redirecting("/next", status);
    const sent = method === "GET" ? undefined : new TextEncoder().encode("{}");
    await start(server, { method, headers: { "content-type": "application/json" }, body: sent });
    const [, next] = server.seen;
    assertEquals([next?.method, next?.body], [then, body], `${status} ${method}`);
    assertEquals(next?.headers.has("content-length"), body !== "", `${status} ${method}`);
  }
});

Deno.test("Egress: only harmless headers reach another origin", async () => {
  const headers = {
    Accept: "application/json",
    Authorization: "Bearer abc",
    Cookie: "a=b",
    "X-Api-Key": "key",
    "User-Agent": "tool",
    "Accept-Language": `en;q=${SECRET}`,
  };
  for (const target of ["https://eu.example.com/", "https://tools.example.com:8443/"]) {
    await using server = redirecting(target, 307);
    const allowedDomains = ["tools.example.com", "eu.example.com", "tools.example.com:8443"];
    await start(server, { headers, allowedDomains });
    const names = [...server.seen[1]!.headers.keys()].sort();
    assertEquals(names, ["accept", "accept-encoding", "connection", "host", "user-agent"]);
  }
  await using server = redirecting("/next", 307);
  await start(server, { headers });
  assertEquals(server.seen[1]?.headers.get("authorization"), "Bearer abc");
  assertEquals(server.seen[1]?.headers.get("x-api-key"), "key");
});

Deno.test("Egress: a redirect does not carry a secret in the body or the URL", async () => {
  const body = new TextEncoder().encode(`{"key":"${SECRET}"}`);
  await using kept = redirecting("https://eu.example.com/", 308);
  const rejected = await assertRejects(() => start(kept, { method: "POST", body }), EgressError);
  assertEquals([rejected.code, kept.seen.length], ["domain_not_allowed", 1]);
  assertEquals(kept.calls.map((call) => call.refused), [rejected.message]);
  await using echoed = redirecting(`https://eu.example.com/?key=${SECRET}`);
  const leaked = await assertRejects(() => start(echoed), EgressError);
  assertEquals([leaked.code, echoed.seen.length], ["domain_not_allowed", 1]);
  await using dropped = redirecting("https://eu.example.com/", 303);
  assertEquals((await start(dropped, { method: "POST", body })).status, 200);
  await using same = redirecting(`/next?key=${SECRET}`, 307);
  assertEquals((await start(same, { method: "POST", body })).status, 200);
});

Deno.test("Egress: a response without a usable location is returned", async () => {
  await using server = new EgressServer(() => new Response(null, { status: 304 }));
  assertEquals((await start(server)).status, 304);
  await using bare = new EgressServer(() => new Response("x", { status: 302 }));
  assertEquals((await start(bare)).status, 302);
  await using unfollowed = redirecting("https://eu.example.com/");
  assertEquals((await start(unfollowed, { maxRedirects: 0 })).status, 302);
  await using nowhere = redirecting("https://");
  const error = await assertRejects(() => start(nowhere), EgressError);
  assertEquals(error.code, "tool_unreachable");
});

Deno.test("Egress: a redirect to an overlong name is rejected without repeating it", async () => {
  await using server = redirecting(`https://${"a".repeat(10_000)}.example.com/`);
  const error = await assertRejects(() => start(server), EgressError);
  assertEquals([error.code, error.message], ["domain_not_allowed", "the host's name is too long"]);
  assertEquals(server.seen.length, 1);
});
