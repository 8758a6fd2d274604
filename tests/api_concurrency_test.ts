/** The limits of the specification's section 8 under concurrent requests, over HTTP; seeded, with a fixed clock. */
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
  /** Faulty connection to the store, enabled after setup. */
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

/** Services on one store, with an agent, a key and a visitor's session. */
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

type Fixture = Awaited<ReturnType<typeof deploy>>;

function bySession(service: TestService, { agentId, token }: Fixture): Promise<Response> {
  return service.fetch("/v1/chat/stream", {
    method: "POST",
    json: { agentId, sessionToken: token, messages },
    headers: { "x-service-session": token, origin: SHOP },
  });
}

function byKey(service: TestService, { agentId, key }: Fixture): Promise<Response> {
  return service.fetch("/v1/chat/stream", { method: "POST", key, json: { agentId, messages } });
}

/** Retries after a 503 as a client does, because the service does not retry a failed read. */
async function usage(service: TestService, fixture: Fixture): Promise<UsageReport> {
  const response = await service.fetch("/v1/usage", { key: fixture.key });
  if (response.status === 200) return await response.json();
  assertEquals(response.status, 503);
  await response.body?.cancel();
  return await usage(service, fixture);
}

/** The admitted requests, and the retry delays of the others, all rejected by one limit. */
async function sorted(answers: Response[], scope: string) {
  const streams = answers.filter(({ status }) => status === 200);
  const waits: number[] = [];
  for (const rejected of answers.filter(({ status }) => status !== 200)) {
    assertEquals(rejected.status, 429);
    assertEquals((await rejected.json()).details.scope, scope);
    waits.push(Number(rejected.headers.get("retry-after")));
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
  Deno.test(`POST /v1/chat/stream: of 200 concurrent messages on a new session exactly 50 are admitted (${name})`, async () => {
    await using fixture = await deploy(deployment, { ...OPEN, streams: 1_000 });
    fixture.release();
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => bySession(fixture.any(), fixture)),
    );
    const { streams, waits } = await sorted(answers, "session_messages");
    assertEquals([streams.length, new Set(waits)], [50, new Set([900])]);
    await readToEnd(streams);
    const report = await usage(fixture.any(), fixture);
    assertEquals([report.runs, report.activeStreams], [50, 0]);
  });

  Deno.test(`POST /v1/chat/stream: of 40 concurrent requests exactly 10 stream, and their slots are released (${name})`, async () => {
    await using fixture = await deploy(deployment);
    for (const round of [1, 2]) {
      fixture.hold();
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => byKey(fixture.any(), fixture)),
      );
      const { streams, waits } = await sorted(answers, "tenant_streams");
      assertEquals(streams.length, 10);
      assert(waits.every((wait) => wait >= 1 && wait <= 5));
      assertEquals((await usage(fixture.any(), fixture)).activeStreams, 10);
      fixture.release();
      await readToEnd(streams);
      const report = await usage(fixture.any(), fixture);
      assertEquals([report.runs, report.activeStreams], [10 * round, 0]);
    }
  });

  Deno.test(`/v1: of 90 concurrent requests with one key 60 are admitted, and of 60 messages from one address 20 (${name})`, async () => {
    const limits = { ...OPEN, keyRequests: 60, ipMessages: 20, streams: 1_000 };
    await using fixture = await deploy(deployment, limits);
    fixture.release();
    fixture.advance(60_001);
    const chats = await Promise.all(
      Array.from({ length: 60 }, () => bySession(fixture.any(), fixture)),
    );
    const { streams } = await sorted(chats, "ip_chat");
    assertEquals(streams.length, 20);
    await readToEnd(streams);
    const reads = await Promise.all(Array.from({ length: 90 }, () => {
      return fixture.any().fetch(`/v1/agents/${fixture.agentId}`, { key: fixture.key });
    }));
    const read = await sorted(reads, "key");
    assertEquals(read.streams.length, 60);
    await Promise.all(read.streams.map((response) => response.body?.cancel()));
  });
}
