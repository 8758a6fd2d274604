/** What a request costs the store, counted: shared by every process, it is what runs out first. */
import { assertEquals } from "@std/assert";
import { newApiKey } from "@/lib/store/credentials/api_key_format.ts";
import { withVisitorLimits } from "@/lib/billing/visitor_limits.ts";
import { DEFAULT_LIMITS, type Limits } from "@/lib/billing/limits.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { countingKv, type KvCalls, nonZeroCalls } from "./support/counting_kv.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { readFrames } from "./support/frames.ts";
import { TestService } from "./support/service.ts";
import { openTestKv } from "./support/open_kv.ts";

const SHOP = "https://shop.example";
const OPEN: Partial<Limits> = { ipRequests: 1e6, ipMessages: 1e6, keyRequests: 1e6 };

/** Services over one store that counts, an agent on it, and both kinds of credentials. */
async function start(limits: Partial<Limits> = OPEN) {
  const store = await openTestKv();
  const { kv, take } = countingKv(store);
  const { runtime } = instantRuntime();
  const open = () => TestService.start({ runtime, kv, keepKv: true, limits });
  const first = await open();
  const key = await first.key();
  const agent = await first.agent(key, { allowedOrigins: [SHOP] });
  const token = await first.mint(key, agent.id, SHOP);
  const conversationId = crypto.randomUUID();
  const messages = [{ role: "user", content: "Hello" }];
  const ask = {
    session: (service: TestService) =>
      service.fetch("/v1/chat/stream", {
        method: "POST",
        json: { agentId: agent.id, sessionToken: token, messages },
        headers: { "x-service-session": token, origin: SHOP },
      }),
    key: (service: TestService) =>
      service.fetch("/v1/chat/stream", {
        method: "POST",
        key,
        json: { agentId: agent.id, messages },
      }),
    /** One more message of a conversation that a client has named. */
    again: (service: TestService) =>
      service.fetch("/v1/chat/stream", {
        method: "POST",
        key,
        json: { agentId: agent.id, messages, conversationId },
      }),
    agent: (service: TestService) => service.fetch(`/v1/agents/${agent.id}`, { key }),
  };
  /** What one request costs from its beginning to the end of its answer. */
  const cost = async (asked: () => Promise<Response>, status = 200): Promise<Partial<KvCalls>> => {
    take();
    const response = await asked();
    assertEquals(response.status, status);
    if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
      assertEquals((await readFrames(response)).at(-1)?.frame.type, "done");
    } else await response.text();
    return nonZeroCalls(take());
  };
  const close = async () => {
    await first[Symbol.asyncDispose]();
    store.close();
  };
  return { first, open, ask, cost, key, agentId: agent.id, [Symbol.asyncDispose]: close };
}

Deno.test("POST /v1/chat/stream: a warm message costs one commit to begin, one to settle, and no read", async () => {
  await using world = await start();
  const { first, ask, cost } = world;
  for (const asked of [ask.session, ask.key]) {
    await cost(() => asked(first));
    // An answer that comes at once has its log stored with the settlement.
    assertEquals(await cost(() => asked(first)), { commit: 2 });
    assertEquals(await cost(() => asked(first)), { commit: 2 });
  }
});

Deno.test("POST /v1/chat/stream: the suggested limits for one visitor cost no commit and no read more", async () => {
  await using world = await start();
  const { first, ask, cost } = world;
  await first.service.tenants.changePlan(await first.tenant(), withVisitorLimits);
  await cost(() => ask.session(first));
  for (let n = 0; n < 3; n++) {
    assertEquals(await cost(() => ask.session(first)), { commit: 2 });
  }
});

Deno.test("POST /v1/chat/stream: the first message of a process costs a session one read more, a key two", async () => {
  await using world = await start();
  const { open, ask, cost } = world;
  {
    await using cold = await open();
    assertEquals(await cost(() => ask.session(cold)), { getMany: 1, keysRead: 9, commit: 2 });
    assertEquals(await cost(() => ask.session(cold)), { commit: 2 });
  }
  // Whose key it is must be known before its record can be read.
  await using cold = await open();
  assertEquals(await cost(() => ask.key(cold)), { getMany: 2, keysRead: 11, commit: 2 });
  assertEquals(await cost(() => ask.key(cold)), { commit: 2 });
});

Deno.test("POST /v1/chat/stream: a conversation goes on at no further cost, but for one read in a new process", async () => {
  await using world = await start();
  const { first, open, ask, cost } = world;
  await cost(() => ask.again(first));
  assertEquals(await cost(() => ask.again(first)), { commit: 2 });
  await using cold = await open();
  await cost(() => ask.key(cold));
  assertEquals(await cost(() => ask.again(cold)), { getMany: 1, keysRead: 1, commit: 2 });
  assertEquals(await cost(() => ask.again(cold)), { commit: 2 });
});

Deno.test("GET /v1/agents/:id: a warm request costs one commit and its own read", async () => {
  await using world = await start();
  const { first, ask, cost } = world;
  await cost(() => ask.agent(first));
  assertEquals(await cost(() => ask.agent(first)), { get: 1, keysRead: 1, commit: 1 });
});

Deno.test("/v1: a flood from one address costs neither a read nor a write", async () => {
  await using world = await start({ ...DEFAULT_LIMITS, ipRequests: 4 });
  const { first, ask, cost } = world;
  await cost(() => ask.session(first));
  await cost(() => ask.session(first));
  for (const asked of [ask.session, ask.key, ask.agent]) {
    assertEquals(await cost(() => asked(first), 429), {});
  }
});

Deno.test("/v1: what a plan's limit refuses costs no write, and one read because the plan may have changed", async () => {
  await using messages = await start({ ...OPEN, ipMessages: 1 });
  await messages.cost(() => messages.ask.session(messages.first));
  const refused = await messages.cost(() => messages.ask.session(messages.first), 429);
  assertEquals(refused.commit, undefined);
  assertEquals(refused.getMany, 1);
});

Deno.test("/v1: an unknown API key costs the store exactly what a wrong secret costs", async () => {
  await using world = await start();
  const { agentId, open, key, cost } = world;
  const never = newApiKey(systemRuntime.randomBytes);
  const wrong = key.slice(0, -never.secret.length) + never.secret;
  const requests = {
    chat: (service: TestService, bearer: string) =>
      service.fetch("/v1/chat/stream", {
        method: "POST",
        key: bearer,
        json: { agentId, messages: [{ role: "user", content: "Hi" }] },
      }),
    read: (service: TestService, bearer: string) => service.fetch("/v1/agents", { key: bearer }),
  };
  for (const request of Object.values(requests)) {
    const told = [];
    for (const bearer of [wrong, never.key]) {
      await using cold = await open();
      told.push([
        await cost(() => request(cold, bearer), 401),
        await cost(() => request(cold, bearer), 401),
      ]);
    }
    assertEquals(told[0], told[1]);
  }
});
