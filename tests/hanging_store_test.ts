/** Every request gets an answer within 5 s of the store ceasing to respond. */
import { assert, assertEquals } from "@std/assert";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { openTestKv } from "./support/open_kv.ts";
import { ManualClock } from "./support/manual_clock.ts";
import { hangingKv } from "./support/hanging_kv.ts";
import { agentBody, TestService } from "./support/service.ts";
import { OWNER, signedInCookie } from "./support/signed_in_cookie.ts";

const DEADLINE_MS = 4_500;

/** A service with a manual clock, on a store that can be made to hang. */
async function start() {
  const clock = new ManualClock();
  const store = hangingKv(await openTestKv());
  let arrived = Promise.withResolvers<void>();
  const uuid = () => {
    arrived.resolve();
    return systemRuntime.uuid();
  };
  const runtime = { ...clock.runtime, uuid };
  const service = await TestService.start({ kv: store.kv, runtime, storeTimeoutMs: 5_000 });
  const startedAt = clock.runtime.now();
  return {
    ...{ clock, store, service },
    /** Sends a request while the store hangs, and advances the clock once by the deadline. */
    async fetchWhileHanging(
      path: string,
      init: Parameters<TestService["fetch"]>[1] = {},
    ): Promise<Response> {
      await clock.advance(1);
      arrived = Promise.withResolvers();
      store.hang();
      const due = clock.runtime.now() - startedAt + DEADLINE_MS;
      const answer = service.fetch(path, { ...init, signal: AbortSignal.timeout(60_000) });
      await arrived.promise;
      await Promise.race([clock.asleepUntil(due), answer]);
      await clock.advance(DEADLINE_MS);
      try {
        return await answer;
      } finally {
        store.goOn();
      }
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

Deno.test("every route answers 503 after 4.5 s if the store hangs", async (t) => {
  await using fixture = await start();
  const { service, fetchWhileHanging } = fixture;
  const cookie = await signedInCookie(service);
  const key = await service.key(["agents:read", "agents:write", "widget:mint", "billing:read"]);
  const agent = await service.agent(key);
  const list = async () => await (await service.fetch("/v1/agents", { key })).json();
  const before = await list();
  const messages = [{ role: "user", content: "Hello" }];
  const form = (fields: Record<string, string>) => ({
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { cookie, origin: service.url },
  });
  const requests: [string, Parameters<TestService["fetch"]>[1]?][] = [
    ["/readyz"],
    ["/demo"],
    ["/v1/agents", { key }],
    [`/v1/agents/${agent.id}`, { key }],
    ["/v1/agents", { key, method: "POST", json: agentBody() }],
    [`/v1/agents/${agent.id}`, { key, method: "DELETE" }],
    ["/v1/chat/stream", { key, method: "POST", json: { agentId: agent.id, messages } }],
    ["/v1/usage", { key }],
    ["/v1/agents", { key: `${key}x` }],
    ["/agents", { headers: { cookie } }],
    [`/agents/${agent.id}`, { headers: { cookie } }],
    ["/api-keys", { headers: { cookie } }],
    ["/usage", { headers: { cookie } }],
    ["/sign-in", form(OWNER)],
    ["/api-keys/new", form({ action: "create", name: "x", scopes: "agents:read" })],
  ];
  for (const [path, init] of requests) {
    await t.step(`${init?.method ?? "GET"} ${path}`, async () => {
      const answer = await fetchWhileHanging(path, init);
      const text = await answer.text();
      assertEquals(answer.status, 503, text);
      assert(answer.headers.has("retry-after"));
      if (path.startsWith("/v1/")) assertEquals(JSON.parse(text).code, "service_unavailable");
    });
  }
  await t.step("once the store responds, the service is ready and unchanged", async () => {
    const ready = await service.fetch("/readyz");
    assertEquals([ready.status, await ready.json()], [200, { status: "ok" }]);
    assertEquals(await list(), before, "a rejected request must change nothing");
  });
});

Deno.test("GET /healthz answers 200 immediately while the store hangs", async () => {
  await using fixture = await start();
  fixture.store.hang();
  const alive = await fixture.service.fetch("/healthz");
  assertEquals([alive.status, await alive.json()], [200, { status: "ok" }]);
  fixture.store.goOn();
});
