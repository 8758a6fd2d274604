/** Store operations per request: processes share the store, so it is the first bottleneck. */
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

/** Services on one counting store, with an agent and both kinds of credentials. */
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
    /** A message in a conversation whose id the client chose. */
    conversation: (service: TestService) =>
      service.fetch("/v1/chat/stream", {
        method: "POST",
        key,
        json: { agentId: agent.id, messages, conversationId },
      }),
    agent: (service: TestService) => service.fetch(`/v1/agents/${agent.id}`, { key }),
  };
  /** Cost of one request, until the end of its answer. */
  const cost = async (
    request: () => Promise<Response>,
    status = 200,
  ): Promise<Partial<KvCalls>> => {
    take();
    const response = await request();
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

Deno.test("POST /v1/chat/stream: a warm message costs one commit to start, one to settle, and no read", async () => {
  await using fixture = await start();
  const { first, ask, cost } = fixture;
  for (const request of [ask.session, ask.key]) {
    await cost(() => request(first));
    // The log of an immediate answer is stored with the settlement.
    assertEquals(await cost(() => request(first)), { commit: 2 });
    assertEquals(await cost(() => request(first)), { commit: 2 });
  }
});

Deno.test("POST /v1/chat/stream: the suggested limits per visitor cost no extra commit or read", async () => {
  await using fixture = await start();
  const { first, ask, cost } = fixture;
  await first.service.tenants.changePlan(await first.tenant(), withVisitorLimits);
  await cost(() => ask.session(first));
  for (let n = 0; n < 3; n++) {
    assertEquals(await cost(() => ask.session(first)), { commit: 2 });
  }
});

Deno.test("POST /v1/chat/stream: the first message to a process costs one extra read for a session, two for an API key", async () => {
  await using fixture = await start();
  const { open, ask, cost } = fixture;
  {
    await using cold = await open();
    assertEquals(await cost(() => ask.session(cold)), { getMany: 1, keysRead: 9, commit: 2 });
    assertEquals(await cost(() => ask.session(cold)), { commit: 2 });
  }
  // The key's tenant must be known before its record can be read.
  await using cold = await open();
  assertEquals(await cost(() => ask.key(cold)), { getMany: 2, keysRead: 11, commit: 2 });
  assertEquals(await cost(() => ask.key(cold)), { commit: 2 });
});

Deno.test("POST /v1/chat/stream: continuing a conversation costs nothing extra, except one read in a new process", async () => {
  await using fixture = await start();
  const { first, open, ask, cost } = fixture;
  await cost(() => ask.conversation(first));
  assertEquals(await cost(() => ask.conversation(first)), { commit: 2 });
  await using cold = await open();
  await cost(() => ask.key(cold));
  assertEquals(await cost(() => ask.conversation(cold)), { getMany: 1, keysRead: 1, commit: 2 });
  assertEquals(await cost(() => ask.conversation(cold)), { commit: 2 });
});

Deno.test("GET /v1/agents/:id: a warm request costs one commit and its own read", async () => {
  await using fixture = await start();
  const { first, ask, cost } = fixture;
  await cost(() => ask.agent(first));
  assertEquals(await cost(() => ask.agent(first)), { get: 1, keysRead: 1, commit: 1 });
});

Deno.test("/v1: a flood from one address costs neither a read nor a write", async () => {
  await using fixture = await start({ ...DEFAULT_LIMITS, ipRequests: 4 });
  const { first, ask, cost } = fixture;
  await cost(() => ask.session(first));
  await cost(() => ask.session(first));
  for (const request of [ask.session, ask.key, ask.agent]) {
    assertEquals(await cost(() => request(first), 429), {});
  }
});

Deno.test("/v1: a message over a plan's limit costs no write, and one read because the plan may have changed", async () => {
  await using messages = await start({ ...OPEN, ipMessages: 1 });
  await messages.cost(() => messages.ask.session(messages.first));
  const rejected = await messages.cost(() => messages.ask.session(messages.first), 429);
  assertEquals(rejected.commit, undefined);
  assertEquals(rejected.getMany, 1);
});

Deno.test("/v1: an unknown API key costs the store exactly what a wrong secret costs", async () => {
  await using fixture = await start();
  const { agentId, open, key, cost } = fixture;
  const unknown = newApiKey(systemRuntime.randomBytes);
  const wrong = key.slice(0, -unknown.secret.length) + unknown.secret;
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
    const costs = [];
    for (const bearer of [wrong, unknown.key]) {
      await using cold = await open();
      costs.push([
        await cost(() => request(cold, bearer), 401),
        await cost(() => request(cold, bearer), 401),
      ]);
    }
    assertEquals(costs[0], costs[1]);
  }
});
