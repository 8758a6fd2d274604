/** The limits of the specification's section 8, over HTTP, with a fixed clock. */
import { assert, assertEquals } from "@std/assert";
import { DEFAULT_LIMITS } from "@/lib/billing/limits.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { TestService } from "./support/service.ts";

const SHOP = "https://shop.example";

async function start() {
  const { runtime, advance } = instantRuntime();
  const service = await TestService.start({ runtime, limits: DEFAULT_LIMITS });
  return { service, advance };
}

/** How many of `times` answers had each status. */
async function statuses(
  times: number,
  ask: (n: number) => Promise<Response>,
): Promise<Record<string, number>> {
  const all = await Promise.all(Array.from({ length: times }, async (_, n) => {
    const response = await ask(n);
    await response.body?.cancel();
    return response.status;
  }));
  return Object.fromEntries([...Map.groupBy(all, String)].map(([s, of]) => [s, of.length]));
}

Deno.test("/v1: 100 requests a minute from one address, those without a credential included", async () => {
  const { service, advance } = await start();
  await using _ = service;
  assertEquals(await statuses(120, () => service.fetch("/v1/agents")), { 401: 100, 429: 20 });
  const rejected = await service.fetch("/v1/nothing");
  assertEquals(rejected.status, 429);
  assertEquals(rejected.headers.get("content-type"), "application/json");
  const wait = Number(rejected.headers.get("retry-after"));
  const details = { scope: "ip", limit: 100, windowSeconds: 60 };
  const { message: _message, ...envelope } = await rejected.json();
  assertEquals(envelope, { code: "rate_limit_exceeded", http: 429, details });
  await advance(wait * 1000);
  assertEquals(await statuses(1, () => service.fetch("/v1/nothing")), { 404: 1 });
});

Deno.test("/v1: 60 requests a minute with one API key, checked before scope and body", async () => {
  const { service } = await start();
  await using _ = service;
  const key = await service.key(["agents:read"]);
  const answers = await statuses(70, () => service.fetch("/v1/agents", { key }));
  assertEquals(answers, { 200: 60, 429: 10 });
  const rejected = await service.fetch("/v1/agents", { method: "POST", key, json: {} });
  assertEquals((await rejected.json()).details.scope, "key");
});

Deno.test("/v1: RateLimit and RateLimit-Policy state the remaining quota", async () => {
  const { service } = await start();
  await using _ = service;
  const key = await service.key(["agents:read"]);
  const response = await service.fetch("/v1/agents", { key });
  await response.body?.cancel();
  assertEquals(response.headers.get("ratelimit-policy"), '"ip";q=100;w=60, "key";q=60;w=60');
  assertEquals(response.headers.get("ratelimit"), '"ip";r=99;t=60, "key";r=59;t=60');
});

Deno.test("POST /v1/chat/stream: 20 messages a minute from one address", async () => {
  const { service } = await start();
  await using _ = service;
  const key = await service.key();
  const agent = await service.agent(key, { allowedOrigins: [SHOP] });
  const token = await service.mint(key, agent.id, SHOP);
  const messages = [{ role: "user", content: "Hello" }];
  const statusCodes: number[] = [];
  for (let n = 0; n < 25; n++) {
    const response = await service.fetch("/v1/chat/stream", {
      method: "POST",
      json: { agentId: agent.id, sessionToken: token, messages },
      headers: { "x-service-session": token, origin: SHOP },
    });
    const text = await response.text();
    statusCodes.push(response.status);
    if (response.status === 429) assertEquals(JSON.parse(text).details.scope, "ip_chat");
  }
  assertEquals([statusCodes.slice(0, 20).every((s) => s === 200), statusCodes.slice(20)], [true, [
    429,
    429,
    429,
    429,
    429,
  ]]);
});

Deno.test("GET /demo: counts towards the address's /v1 requests, and over the limit is a page that says when to retry", async () => {
  const { service, advance } = await start();
  await using _ = service;
  assertEquals(await statuses(40, () => service.fetch("/v1/agents")), { 401: 40 });
  assertEquals(await statuses(70, () => service.fetch("/demo")), { 200: 60, 429: 10 });
  const rejected = await service.fetch("/demo");
  assertEquals(rejected.status, 429);
  assertEquals(rejected.headers.get("content-type"), "text/html; charset=utf-8");
  assertEquals(rejected.headers.get("cache-control"), "no-store");
  const wait = Number(rejected.headers.get("retry-after"));
  const html = await rejected.text();
  assert(html.includes("Too many requests"));
  assert(!html.includes("data-session-token"));
  assertEquals(service.logged.filter((line) => JSON.parse(line).level === "error"), []);
  await advance(wait * 1000);
  assertEquals(await statuses(1, () => service.fetch("/demo")), { 200: 1 });
});

Deno.test("/v1: health checks, pages and preflights are not counted", async () => {
  const { service } = await start();
  await using _ = service;
  const preflight = { method: "OPTIONS", headers: { "access-control-request-method": "POST" } };
  await statuses(150, () => service.fetch("/v1/chat/stream", preflight));
  await statuses(150, () => service.fetch("/healthz"));
  const key = await service.key(["agents:read"]);
  const left = await service.fetch("/v1/agents", { key });
  await left.body?.cancel();
  assert(left.headers.get("ratelimit")?.startsWith('"ip";r=99'));
});

Deno.test("/v1: a 429 has zero remaining in RateLimit", async () => {
  const { service } = await start();
  await using _ = service;
  const key = await service.key(["agents:read"]);
  await statuses(60, () => service.fetch("/v1/agents", { key }));
  const rejected = await service.fetch("/v1/agents", { key });
  await rejected.body?.cancel();
  assertEquals(rejected.status, 429);
  assertEquals(rejected.headers.get("ratelimit-policy"), '"key";q=60;w=60');
  assertEquals(rejected.headers.get("ratelimit"), '"key";r=0;t=60');
});

Deno.test("POST /v1/chat/stream: a message rejected by the tenant's stream limit counts as a request", async () => {
  const { runtime } = instantRuntime();
  await using service = await TestService.start({ runtime, limits: { streams: 0 } });
  const key = await service.key();
  const agent = await service.agent(key);
  const json = { agentId: agent.id, messages: [{ role: "user", content: "Hello" }] };
  const left = [];
  for (let n = 0; n < 2; n++) {
    const rejected = await service.fetch("/v1/chat/stream", { method: "POST", key, json });
    assertEquals((await rejected.json()).details.scope, "tenant_streams");
    left.push(Number(/"key";r=(\d+)/.exec(rejected.headers.get("ratelimit") ?? "")?.[1]));
  }
  assertEquals(left[0]! - left[1]!, 1);
});
