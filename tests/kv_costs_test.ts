/** What a chat, a process at rest and a process that has just started cost the store on Deno Deploy. */
import { assertEquals } from "@std/assert";
import { ServerSentEventParseStream } from "@std/http/server-sent-event-parse-stream";
import { prefetchStore } from "@/lib/server/composition/prefetch_store.ts";
import { readConfig } from "@/lib/server/config/config.ts";
import type { Model, ModelEvent, ModelRequest } from "@/lib/providers/model.ts";
import type { ModelRegistry } from "@/lib/providers/model_registry.ts";
import { withValueEncoding } from "@/lib/store/kv/with_value_encoding.ts";
import { openStore } from "@/lib/server/process/open_store.ts";
import { type Runtime, systemRuntime } from "@/lib/platform/runtime.ts";
import { TEST_ENCRYPTION_KEY } from "./support/encryption_keys.ts";
import { FakeRuntime } from "./support/fake_runtime.ts";
import { CHAT_BUDGETS, LISTS_AT_REST_A_MINUTE, LISTS_OF_CRON } from "./support/kv_cost_budget.ts";
import { type KvCosts, meteredKv } from "./support/metered_kv.ts";
import { TestService } from "./support/service.ts";
import { byKey, embed, onPage } from "./support/widget_calls.ts";

const SECONDS = 10;

/** An answer's words, and the time after each. */
interface Pace {
  deltas: number;
  pauseMs: number;
}
const PACES: Record<keyof typeof CHAT_BUDGETS, Pace> = {
  "at once": { deltas: 20, pauseMs: 0 },
  "10 s": { deltas: 200, pauseMs: SECONDS * 1_000 / 200 },
};

type World = Awaited<ReturnType<typeof embed>>;
type Send = (service: TestService, of: World) => Promise<Response>;

const CALLERS: Record<string, Send> = {
  "a session": (service, { agent, sessionToken }) => onPage(service, { agent, sessionToken }),
  "an API key": (service, { key, agent }) => byKey(service, { key, body: { agentId: agent.id } }),
};

/** Says one word after the other. */
function steadyModel(runtime: Pick<Runtime, "sleep">, { deltas, pauseMs }: Pace): Model {
  async function* words({ signal }: ModelRequest): AsyncGenerator<ModelEvent> {
    for (let n = 0; n < deltas; n++) {
      yield { type: "text", text: "word " };
      if (pauseMs > 0) await runtime.sleep(pauseMs, signal);
    }
    yield { type: "usage", inputTokens: 20, outputTokens: deltas };
    yield { type: "end", reason: "stop" };
  }
  return { stream: (request) => Promise.resolve(words(request)) };
}

/** A service in a world whose clock a test moves, on a store that is metered. */
async function start(pace: Pace = PACES["10 s"]) {
  const store = await Deno.openKv(":memory:");
  const meter = meteredKv(store);
  const clock = new FakeRuntime();
  const { now, sleep } = clock;
  const service = await TestService.start({
    ...{ kv: withValueEncoding(meter.kv), keepKv: true, runtime: { now, sleep } },
  });
  const registry = service.service.providers as ModelRegistry;
  registry.find = () => steadyModel({ sleep }, pace);
  const dispose = async () => {
    await service[Symbol.asyncDispose]();
    store.close();
  };
  return { meter, clock, service, [Symbol.asyncDispose]: dispose };
}

/** What a warm chat costs, from its admission to the end of its settlement. */
async function costOfChat(
  send: Send,
  pace: Pace,
): Promise<KvCosts & { written: Record<string, number> }> {
  await using world = await start(pace);
  const { meter, clock, service } = world;
  const embedded = await embed(service);
  for (let chats = 0; chats < 2; chats++) {
    await meter.idle();
    meter.take();
    let text = "";
    const { body } = await send(service, embedded);
    for await (const { event, data } of body!.pipeThrough(new ServerSentEventParseStream())) {
      if (event !== "delta") continue;
      text += JSON.parse(data!).text;
      if (pace.pauseMs === 0) continue;
      await meter.idle();
      await clock.advance(pace.pauseMs);
    }
    assertEquals(text, "word ".repeat(pace.deltas));
    await meter.idle();
  }
  return { written: Object.fromEntries(meter.written), ...meter.take() };
}

/** What is over its bound, as text. */
function overBudget(costs: KvCosts, name: keyof typeof CHAT_BUDGETS): string[] {
  const budget = Object.entries(CHAT_BUDGETS[name]) as [keyof KvCosts, number][];
  return budget.filter(([what, most]) => costs[what] > most)
    .map(([what, most]) => `${costs[what]} ${what} of ${most}`);
}

Deno.test("POST /v1/chat/stream: an answer of 10 s and 200 deltas costs at most 30 write units", async () => {
  const callers = Object.values(CALLERS);
  for (const costs of await Promise.all(callers.map((send) => costOfChat(send, PACES["10 s"])))) {
    const { written, lists } = costs;
    // `start`, then what has come in each second; the last of it goes with the settlement.
    assertEquals(written["run_chunks"], SECONDS);
    // Made with the admission, deleted with the settlement.
    assertEquals(written["live_runs"], 2);
    // Each second it asks whether it is to stop.
    assertEquals(CHAT_BUDGETS["10 s"].readUnits, SECONDS);
    // Admission, settlement, one for each part of the log, and a heartbeat every 5 s.
    assertEquals(CHAT_BUDGETS["10 s"].commits, 2 + SECONDS + 2);
    assertEquals(overBudget(costs, "10 s"), []);
    assertEquals(lists, 0);
  }
});

Deno.test("POST /v1/chat/stream: an answer at once costs 2 commits and at most 14 write units", async () => {
  for (const send of Object.values(CALLERS)) {
    const costs = await costOfChat(send, PACES["at once"]);
    assertEquals(overBudget(costs, "at once"), []);
    assertEquals(costs.lists, 0);
  }
});

Deno.test("a process at rest asks the store for one list in 30 s, and for nothing else", async () => {
  await using world = await start();
  const { meter, clock, service } = world;
  await send(service);
  const { orphanedRuns, documents } = service.service;
  orphanedRuns.start();
  documents.start();
  const advance = async (seconds: number) => {
    for (let n = 0; n < seconds; n++) {
      await clock.advance(1_000);
      await meter.idle();
    }
  };
  // What has just been asked is followed by others, and its day's conversations are measured.
  await advance(5 * 60);
  for (let minute = 0; minute < 10; minute++) {
    meter.take();
    await advance(60);
    const { lists, gets, commits } = meter.take();
    assertEquals(
      [lists <= LISTS_AT_REST_A_MINUTE, gets, commits],
      [true, 0, 0],
      `${lists} lists in a minute`,
    );
  }

  meter.take();
  // As the cron in `main.ts` does.
  await orphanedRuns.sweep();
  await documents.sweep();
  await documents.whenIdle();
  const { lists, gets, commits } = meter.take();
  assertEquals([lists <= LISTS_OF_CRON, gets, commits], [true, 0, 0], `${lists} lists of the cron`);

  async function send(to: TestService): Promise<void> {
    const { key } = await embed(to);
    await (await to.fetch("/v1/agents", { key })).text();
  }
});

/** The store as a process opens it that a message with this key has started. */
async function openedFor(key: string, kv: Deno.Kv): Promise<{ kv: Deno.Kv; end: () => void }> {
  const request = new Request("http://x/", { headers: { authorization: `Bearer ${key}` } });
  const { openKv, discard } = prefetchStore(() => Promise.resolve(kv), request);
  const config = readConfig({
    KV_URL: "http://127.0.0.1:1",
    API_KEY_HMAC_SECRET: "test secret that is long enough to sign",
    ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
  });
  const opened = await openStore(config, { openKv, runtime: systemRuntime });
  return { kv: opened.kv, end: discard };
}

/** Round trips of a process that has just started, until its answer begins. */
async function roundsOfFirstChat(send: Send, options: { isOpen: boolean }): Promise<number> {
  using store = await Deno.openKv(":memory:");
  const env = { PUBLIC_URL: "http://127.0.0.1:9" };
  await using first = await TestService.start({ kv: store, keepKv: true, env });
  const embedded = await embed(first);
  // Another has started before it, and written what the first one writes.
  (await openedFor(embedded.key, store)).end();
  const meter = meteredKv(store, { far: true });
  const { kv, end } = await openedFor(embedded.key, meter.kv);
  const from = options.isOpen ? meter.kv : kv;
  await using cold = await TestService.start({ kv: from, keepKv: true, env, inHaste: true });
  end();
  const opening = meter.take().rounds;
  // Goes on beside the answer, which does not wait for it.
  await cold.service.demoReady;
  meter.take();
  const response = await send(cold, embedded);
  assertEquals(response.status, 200);
  const reader = response.body!.getReader();
  await reader.read();
  const { rounds } = meter.take();
  await reader.cancel();
  return options.isOpen ? rounds : opening + rounds;
}

for (const [caller, send] of Object.entries(CALLERS)) {
  Deno.test(`POST /v1/chat/stream: the first answer of a process begins after 3 round trips to the store (${caller})`, async () => {
    assertEquals(await roundsOfFirstChat(send, { isOpen: false }), 3);
  });
}

Deno.test("POST /v1/chat/stream: with the service open a session's first answer takes 2 round trips, a key's 3", async () => {
  const rounds = await Promise.all(
    Object.values(CALLERS).map((send) => roundsOfFirstChat(send, { isOpen: true })),
  );
  assertEquals(rounds, [2, 3]);
});
