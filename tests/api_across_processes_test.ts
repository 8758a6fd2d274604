/** A change made in one process applies to the next request in another. */
import { assertEquals } from "@std/assert";
import { keys } from "@/lib/store/keys/keys.ts";
import type { LimitOverrides } from "@/lib/store/tenants/tenant_store.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { readFrames } from "./support/frames.ts";
import { TestService } from "./support/service.ts";
import { servedStore } from "./support/served_store.ts";
import { memoryStore, onStores, type SharedStore } from "./support/shared_store.ts";

const test = onStores(memoryStore, servedStore);

const SHOP = "https://shop.example";

/** Two services on one store; the second has every record cached. */
async function start(store: SharedStore) {
  const kv = await store.open();
  const { runtime } = instantRuntime();
  const open = async () => TestService.start({ runtime, kv: await store.open(), keepKv: true });
  const [here, there] = [await open(), await open()];
  const key = await here.key(["agents:write", "widget:mint"]);
  const agent = await here.agent(key, { allowedOrigins: [SHOP] });
  const token = await here.mint(key, agent.id, SHOP);
  const messages = [{ role: "user", content: "Hello" }];
  /** The error code; `done` for a stream that completes, `ok` for any other success. */
  const outcome = async (response: Response): Promise<string> => {
    if (response.status !== 200) return (await response.json()).code;
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
      await response.text();
      return "ok";
    }
    return (await readFrames(response)).at(-1)!.frame.type;
  };
  const ask = {
    read: async () => await outcome(await there.fetch(`/v1/agents/${agent.id}`, { key })),
    byKey: async () => {
      const init = { method: "POST", key, json: { agentId: agent.id, messages } };
      return await outcome(await there.fetch("/v1/chat/stream", init));
    },
    bySession: async () =>
      await outcome(
        await there.fetch("/v1/chat/stream", {
          method: "POST",
          json: { agentId: agent.id, sessionToken: token, messages },
          headers: { "x-service-session": token, origin: SHOP },
        }),
      ),
  };
  const warm = [await ask.read(), await ask.byKey(), await ask.bySession()];
  assertEquals(warm, ["ok", "done", "done"]);
  return {
    kv,
    here,
    ask,
    key,
    agentId: agent.id,
    token,
    async [Symbol.asyncDispose]() {
      await here[Symbol.asyncDispose]();
      await there[Symbol.asyncDispose]();
    },
  };
}

for (const kind of ["read", "byKey"] as const) {
  test(`an API key revoked in one process is rejected on the next request in another (${kind})`, async (store) => {
    await using fixture = await start(store);
    const { here, ask } = fixture;
    const tenant = await here.tenant();
    const [apiKey] = await here.service.apiKeys.list(tenant);
    await here.service.apiKeys.revoke(tenant, apiKey!.id);
    assertEquals(await ask[kind](), "invalid_api_key");
  });
}

test("a session revoked in one process is rejected on the next message in another", async (store) => {
  await using fixture = await start(store);
  const { here, ask, key, token } = fixture;
  const init = { method: "DELETE", key, json: { sessionToken: token } };
  assertEquals((await here.fetch("/v1/widget/session", init)).status, 204);
  assertEquals(await ask.bySession(), "session_token_invalid");
});

test("an agent deleted in one process answers no further messages in another", async (store) => {
  await using fixture = await start(store);
  const { here, ask, key, agentId } = fixture;
  const deleted = await here.fetch(`/v1/agents/${agentId}`, { method: "DELETE", key });
  assertEquals(deleted.status, 204);
  assertEquals([await ask.bySession(), await ask.byKey()], ["not_found", "not_found"]);
});

test("an origin removed from an agent in one process is rejected on the next message in another", async (store) => {
  await using fixture = await start(store);
  const { here, ask, key, agentId } = fixture;
  const allow = async (allowedOrigins: string[]) => {
    const init = { method: "PATCH", key, json: { allowedOrigins } };
    const response = await here.fetch(`/v1/agents/${agentId}`, init);
    await response.body?.cancel();
  };
  await allow(["https://other.example"]);
  assertEquals(await ask.bySession(), "origin_not_allowed");
  await allow([SHOP]);
  assertEquals(await ask.bySession(), "done");
});

test("a plan changed in the store applies to the next request in every process", async (store) => {
  await using fixture = await start(store);
  const { here, kv, ask } = fixture;
  const plan = keys.plan(await here.tenant());
  const set = (limits: LimitOverrides) => kv.set(plan, { v: 1, models: "all", limits });
  await set({ streams: 0 });
  assertEquals([await ask.byKey(), await ask.read()], ["rate_limit_exceeded", "ok"]);
  await set({ keyRequests: 1 });
  assertEquals([await ask.byKey(), await ask.read()], [
    "rate_limit_exceeded",
    "rate_limit_exceeded",
  ]);
  // A full window must not make the service rely on a cached plan.
  await set({ ipMessages: 1 });
  assertEquals([await ask.bySession(), await ask.read()], ["rate_limit_exceeded", "ok"]);
  await set({});
  assertEquals([await ask.bySession(), await ask.byKey()], ["done", "done"]);
});
