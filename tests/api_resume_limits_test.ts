/** Limits per address on resuming runs and on invalid tokens: CONTRACT sections 6 and 8. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { DEFAULT_LIMITS } from "@/lib/billing/limits.ts";
import { breakableKv } from "./support/broken_kv.ts";
import { expectError } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { TestService } from "./support/service.ts";

const SHOP = "https://shop.example";
const RESUMES = DEFAULT_LIMITS.ipResumes;

/** A finished run of a visitor's session, under production limits. */
async function start(options: { kv?: Deno.Kv } = {}) {
  const { runtime, advance } = instantRuntime();
  const service = await TestService.start({ runtime, limits: DEFAULT_LIMITS, ...options });
  const key = await service.key();
  const agent = await service.agent(key, { allowedOrigins: [SHOP] });
  const token = await service.mint(key, agent.id, SHOP);
  const headers = { "x-service-session": token, origin: SHOP };
  const json = {
    agentId: agent.id,
    sessionToken: token,
    messages: [{ role: "user", content: "Hello" }],
  };
  const chat = () => service.fetch("/v1/chat/stream", { method: "POST", json, headers });
  const first = await chat();
  const runId = first.headers.get("x-run-id")!;
  await first.text();
  const resume = (change: { token?: string; runId?: string; query?: string } = {}) => {
    const { query = "" } = change;
    return service.fetch(`/v1/chat/runs/${change.runId ?? runId}/stream${query}`, {
      headers: { ...headers, ...(change.token && { "x-service-session": change.token }) },
    });
  };
  return { service, advance, chat, resume, key, headers };
}

/** How many of `times` answers had each status; 50 at a time. */
async function statuses(times: number, ask: () => Promise<Response>) {
  const counts: Record<string, number> = {};
  for (let done = 0; done < times; done += 50) {
    await Promise.all(Array.from({ length: Math.min(50, times - done) }, async () => {
      const response = await ask();
      await response.text();
      counts[response.status] = (counts[response.status] ?? 0) + 1;
    }));
  }
  return counts;
}

Deno.test("GET …/stream: of 1,000 simultaneous replays 300 succeed and the others are 429", async () => {
  const { service, advance, resume, chat } = await start();
  await using _ = service;
  assertEquals(await statuses(1_000, resume), { 200: RESUMES, 429: 1_000 - RESUMES });
  const rejected = await resume();
  const wait = Number(rejected.headers.get("retry-after"));
  assertEquals([wait >= 1 && wait <= 61, rejected.headers.get("access-control-allow-origin")], [
    true,
    "*",
  ]);
  assertMatch(rejected.headers.get("ratelimit") ?? "", /^"ip_resume";r=0;t=\d+$/);
  assertEquals(rejected.headers.get("ratelimit-policy"), `"ip_resume";q=${RESUMES};w=60`);
  const { details } = await expectError(rejected, "rate_limit_exceeded");
  assertEquals(details, { scope: "ip_resume", limit: RESUMES, windowSeconds: 60 });
  // A client over the resume limit may still send messages, and may resume after the wait.
  const message = await chat();
  assertEquals(message.status, 200);
  await message.text();
  advance(wait * 1_000);
  assertEquals(await statuses(1, resume), { 200: 1 });
});

Deno.test("GET …/stream: 20 visitors behind one address, each disconnected every 10 s, can all resume", async () => {
  const { service, advance, resume } = await start();
  await using _ = service;
  const counts: Record<string, number> = {};
  for (let second = 0; second < 180; second++) {
    for (let visitor = second % 10; visitor < 20; visitor += 10) {
      const response = await resume({ query: "?after=1" });
      await response.text();
      counts[response.status] = (counts[response.status] ?? 0) + 1;
    }
    advance(1_000);
  }
  assertEquals(counts, { 200: 360 });
});

Deno.test("GET …/stream: invalid tokens and unknown runs count as requests of their address", async () => {
  for (const change of [{ token: "cs_wrong_wrong_wrong_wrong" }, { runId: crypto.randomUUID() }]) {
    const { service, resume } = await start();
    await using _ = service;
    const { 429: limited, 401: unknown, 404: nothing } = await statuses(
      1_000,
      () => resume(change),
    );
    // The agent, the session and the message were requests as well.
    assertEquals([unknown ?? nothing, limited], [97, 903]);
    await expectError(await service.fetch("/v1/agents"), "rate_limit_exceeded");
  }
});

Deno.test("/v1: an invalid token counts against the address on every route that accepts one", async () => {
  const { service, key } = await start();
  await using _ = service;
  const bad = {
    authorization: `Bearer ${key.slice(0, -1)}${key.endsWith("x") ? "y" : "x"}`,
    "x-service-session": "cs_bad",
  };
  const id = crypto.randomUUID();
  const left = (response: Response) => /"ip";r=(\d+)/.exec(response.headers.get("ratelimit")!)![1];
  let before: number | undefined;
  for (
    const [method, path] of [
      ["GET", "/v1/agents"],
      ["POST", "/v1/chat/stream"],
      ["POST", `/v1/chat/runs/${id}/cancel`],
      ["GET", `/v1/chat/runs/${id}/stream`],
      ["PUT", `/v1/chat/runs/${id}/stream`],
      ["DELETE", "/v1/widget/session"],
    ] as const
  ) {
    const response = await service.fetch(path, { method, headers: bad });
    await response.body?.cancel();
    assert(response.status >= 400, path);
    const now = Number(left(response));
    if (before !== undefined) assertEquals(now, before - 1, `${method} ${path}`);
    before = now;
  }
});

Deno.test("GET …/stream: a client can resume while the store rejects writes", async () => {
  const store = await breakableKv();
  const { service, resume } = await start({ kv: store.kv });
  await using _ = service;
  store.break("the disk is full", ["atomic", "set"]);
  const response = await resume();
  assertEquals(response.status, 200);
  assert((await response.text()).includes("event: done"));
});
