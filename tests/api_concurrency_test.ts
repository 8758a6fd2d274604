/** The limits of the specification's section 8 under concurrent requests, over HTTP: seeded, no clock moves. */
import { assert, assertEquals } from "@std/assert";
import type { Limits } from "@/lib/billing/limits.ts";
import type { UsageReport } from "@/lib/schemas/usage.ts";
import { flakyKv, seeded } from "./support/flaky_kv.ts";
import { readFrames } from "./support/frames.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { TestService } from "./support/service.ts";
import { openTestKv } from "./support/open_kv.ts";

const SHOP = "https://shop.example";
const messages = [{ role: "user", content: "Hello" }];
const OPEN: Partial<Limits> = { ipRequests: 1e6, ipMessages: 1e6, keyRequests: 1e6 };

interface Deployment {
  services: number;
  /** How bad the connection to the store is, once everything is set up. */
  connection?: { turns: number; ambiguous: number; locked: number };
}

const DEPLOYMENTS: Record<string, Deployment> = {
  "one service": { services: 1 },
  "two services on one store": { services: 2 },
  "two services far from their store, with commits of unknown outcome": {
    services: 2,
    connection: { turns: 40, ambiguous: 0.1, locked: 0.1 },
  },
};

/** Services over one store, with an agent, a key and a session of a visitor. */
async function deploy({ services: count, connection }: Deployment, limits: Partial<Limits> = OPEN) {
  const store = await openTestKv();
  const held = pausableRuntime();
  const random = seeded(count * 17);
  let settingUp = true;
  const services = await Promise.all(Array.from({ length: count }, () => {
    const bad = { ...connection, random: () => settingUp ? 0.999 : random() };
    const kv = connection === undefined ? store : flakyKv(store, bad).kv;
    return TestService.start({ runtime: held.runtime, kv, keepKv: true, limits });
  }));
  const first = services[0]!;
  const key = await first.key(["agents:write", "widget:mint", "billing:read"]);
  const agent = await first.agent(key, { allowedOrigins: [SHOP] });
  const token = await first.mint(key, agent.id, SHOP);
  settingUp = false;
  return {
    ...held,
    store,
    services,
    key,
    agentId: agent.id,
    token,
    any: () => services[Math.floor(random() * services.length)]!,
    async [Symbol.asyncDispose]() {
      held.release();
      for (const service of services) await service[Symbol.asyncDispose]();
      store.close();
    },
  };
}

type World = Awaited<ReturnType<typeof deploy>>;

function bySession(service: TestService, { agentId, token }: World): Promise<Response> {
  return service.fetch("/v1/chat/stream", {
    method: "POST",
    json: { agentId, sessionToken: token, messages },
    headers: { "x-service-session": token, origin: SHOP },
  });
}

function byKey(service: TestService, { agentId, key }: World): Promise<Response> {
  return service.fetch("/v1/chat/stream", { method: "POST", key, json: { agentId, messages } });
}

/** Asks again after a 503, as a client does: a read that the store fails is not tried twice. */
async function usage(service: TestService, world: World): Promise<UsageReport> {
  const response = await service.fetch("/v1/usage", { key: world.key });
  if (response.status === 200) return await response.json();
  assertEquals(response.status, 503);
  await response.body?.cancel();
  return await usage(service, world);
}

/** The ones let in, and the waits that the others were told, all refused by one limit. */
async function sorted(answers: Response[], scope: string) {
  const streams = answers.filter(({ status }) => status === 200);
  const waits: number[] = [];
  for (const refused of answers.filter(({ status }) => status !== 200)) {
    assertEquals(refused.status, 429);
    assertEquals((await refused.json()).details.scope, scope);
    waits.push(Number(refused.headers.get("retry-after")));
  }
  return { streams, waits };
}

async function readToEnd(streams: Response[]): Promise<void> {
  const all = await Promise.all(streams.map(readFrames));
  for (const frames of all) {
    assertEquals(frames.at(-1)?.frame, { type: "done", finishReason: "stop" });
  }
}

for (const [name, deployment] of Object.entries(DEPLOYMENTS)) {
  Deno.test(`POST /v1/chat/stream: 200 at once on a fresh session let exactly 50 in (${name})`, async () => {
    await using world = await deploy(deployment, { ...OPEN, streams: 1_000 });
    world.release();
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => bySession(world.any(), world)),
    );
    const { streams, waits } = await sorted(answers, "session_messages");
    assertEquals([streams.length, new Set(waits)], [50, new Set([900])]);
    await readToEnd(streams);
    const told = await usage(world.any(), world);
    assertEquals([told.runs, told.activeStreams], [50, 0]);
  });

  Deno.test(`POST /v1/chat/stream: 40 at once are exactly 10 streams, and their slots come free (${name})`, async () => {
    await using world = await deploy(deployment);
    for (const round of [1, 2]) {
      world.hold();
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => byKey(world.any(), world)),
      );
      const { streams, waits } = await sorted(answers, "tenant_streams");
      assertEquals(streams.length, 10);
      assert(waits.every((wait) => wait >= 1 && wait <= 5));
      assertEquals((await usage(world.any(), world)).activeStreams, 10);
      world.release();
      await readToEnd(streams);
      const told = await usage(world.any(), world);
      assertEquals([told.runs, told.activeStreams], [10 * round, 0]);
    }
  });

  Deno.test(`/v1: 90 at once with one key are exactly 60, and 60 messages from one address 20 (${name})`, async () => {
    const limits = { ...OPEN, keyRequests: 60, ipMessages: 20, streams: 1_000 };
    await using world = await deploy(deployment, limits);
    world.release();
    world.advance(60_001);
    const chats = await Promise.all(
      Array.from({ length: 60 }, () => bySession(world.any(), world)),
    );
    const { streams } = await sorted(chats, "ip_chat");
    assertEquals(streams.length, 20);
    await readToEnd(streams);
    const reads = await Promise.all(Array.from({ length: 90 }, () => {
      return world.any().fetch(`/v1/agents/${world.agentId}`, { key: world.key });
    }));
    const read = await sorted(reads, "key");
    assertEquals(read.streams.length, 60);
    await Promise.all(read.streams.map((response) => response.body?.cancel()));
  });
}
