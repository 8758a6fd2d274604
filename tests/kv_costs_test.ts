/** Store costs on Deno Deploy of a chat, an idle process and a process that has just started. */
import { assertEquals } from "@std/assert";
import { ServerSentEventParseStream } from "@std/http/server-sent-event-parse-stream";
import { prefetchStore } from "@/lib/server/composition/prefetch_store.ts";
import { readConfig } from "@/lib/server/config/config.ts";
import type { Model, ModelEvent, ModelRequest } from "@/lib/providers/model.ts";
import type { ModelRegistry } from "@/lib/providers/model_registry.ts";
import { withValueEncoding } from "@/lib/store/kv/with_value_encoding.ts";
import { openStore } from "@/lib/server/process/open_store.ts";
import { type Runtime, systemRuntime } from "@/lib/platform/runtime.ts";
import { BoundSession } from "./support/bound_session.ts";
import { TEST_ENCRYPTION_KEY } from "./support/encryption_keys.ts";
import { FakeRuntime } from "./support/fake_runtime.ts";
import { CHAT_BUDGETS, IDLE_LISTS_PER_MINUTE, LISTS_OF_CRON } from "./support/kv_cost_budget.ts";
import { streamOf } from "./support/model_events.ts";
import { type KvCosts, meteredKv } from "./support/metered_kv.ts";
import { ProofKey } from "./support/proofs.ts";
import { TestService } from "./support/service.ts";
import { byKey, embed, onPage, ORIGIN } from "./support/widget_calls.ts";

const SECONDS = 10;

/** Number of words in an answer, and the pause after each. */
interface Pace {
  deltas: number;
  pauseMs: number;
}
const PACES: Record<keyof typeof CHAT_BUDGETS, Pace> = {
  "at once": { deltas: 20, pauseMs: 0 },
  "10 s": { deltas: 200, pauseMs: SECONDS * 1_000 / 200 },
};

type Embedded = Awaited<ReturnType<typeof embed>>;
type Send = (service: TestService, embedded: Embedded) => Promise<Response>;

const CALLERS: Record<string, Send> = {
  "a session": (service, { agent, sessionToken }) => onPage(service, { agent, sessionToken }),
  "an API key": (service, { key, agent }) => byKey(service, { key, body: { agentId: agent.id } }),
};

/** A model that streams one word at a time. */
function steadyModel(runtime: Pick<Runtime, "sleep">, { deltas, pauseMs }: Pace): Model {
  async function* words({ signal }: ModelRequest): AsyncGenerator<ModelEvent> {
    for (let n = 0; n < deltas; n++) {
      yield { type: "text", text: "word " };
      if (pauseMs > 0) await runtime.sleep(pauseMs, signal);
    }
    yield { type: "usage", inputTokens: 20, outputTokens: deltas };
    yield { type: "end", reason: "stop" };
  }
  return { stream: (request) => Promise.resolve(streamOf(words(request))) };
}

/** A service with a fake clock on a metered store. */
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

/** Cost of a warm chat, from admission to the end of settlement. */
async function costOfChat(
  send: Send,
  pace: Pace,
): Promise<KvCosts & { written: Record<string, number> }> {
  await using fixture = await start(pace);
  const { meter, clock, service } = fixture;
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

/** The costs that exceed their budget, as text. */
function overBudget(costs: KvCosts, name: keyof typeof CHAT_BUDGETS): string[] {
  const budget = Object.entries(CHAT_BUDGETS[name]) as [keyof KvCosts, number][];
  return budget.filter(([what, max]) => costs[what] > max)
    .map(([what, max]) => `${costs[what]} ${what}, budget ${max}`);
}

Deno.test("POST /v1/chat/stream: a 10 s answer of 200 deltas costs at most 30 write units", async () => {
  const callers = Object.values(CALLERS);
  for (const costs of await Promise.all(callers.map((send) => costOfChat(send, PACES["10 s"])))) {
    const { written, lists } = costs;
    // One chunk per second, the first with `start`; the last is written with the settlement.
    assertEquals(written["run_chunks"], SECONDS);
    // Written with the admission, deleted with the settlement.
    assertEquals(written["live_runs"], 2);
    // One read per second, for a cancellation request.
    assertEquals(CHAT_BUDGETS["10 s"].readUnits, SECONDS);
    // Admission, settlement, one per chunk of the log, and a heartbeat every 5 s.
    assertEquals(CHAT_BUDGETS["10 s"].commits, 2 + SECONDS + 2);
    assertEquals(overBudget(costs, "10 s"), []);
    assertEquals(lists, 0);
  }
});

Deno.test("POST /v1/chat/stream: an immediate answer costs 2 commits and at most 14 write units", async () => {
  for (const send of Object.values(CALLERS)) {
    const costs = await costOfChat(send, PACES["at once"]);
    assertEquals(overBudget(costs, "at once"), []);
    assertEquals(costs.lists, 0);
  }
});

/** Sends as a named visitor with limits; all chats have one token. */
function asVisitor(): Send {
  let token: string | undefined;
  return async (service, { key, agent }) => {
    token ??= await mintNamed(service, { key, agentId: agent.id });
    return await onPage(service, { agent, sessionToken: token });
  };
}

async function mintNamed(
  service: TestService,
  { key, agentId }: { key: string; agentId: string },
): Promise<string> {
  const visitor = { id: "ada", limits: { costUsd: 1, messages: 10, per: "day" } };
  const minted = await service.fetch("/v1/widget/session", {
    method: "POST",
    key,
    json: { agentId, visitor },
    headers: { origin: ORIGIN },
  });
  return (await minted.json()).sessionToken;
}

Deno.test("POST /v1/chat/stream: a named visitor with limits costs no commit and no read more", async () => {
  for (const pace of Object.values(PACES)) {
    const unnamed = await costOfChat(CALLERS["a session"]!, pace);
    const named = await costOfChat(asVisitor(), pace);
    const { visitor_accounts: accounts, conversations_by_visitor: index, ...rest } = named.written;
    // Written with the admission and with the settlement.
    assertEquals([accounts, index], [2, 1]);
    assertEquals(Object.keys(rest).sort(), Object.keys(unnamed.written).sort());
    assertEquals(
      [named.commits, named.readUnits, named.lists],
      [unnamed.commits, unnamed.readUnits, unnamed.lists],
    );
  }
});

/** Sends as a named visitor to an agent that remembers its visitors. */
function asRemembering(): Send {
  const send = asVisitor();
  let isPatched = false;
  return async (service, embedded) => {
    if (!isPatched) {
      const { key, agent } = embedded;
      const patch = { method: "PATCH", key, json: { memory: { enabled: true } } };
      await service.fetch(`/v1/agents/${agent.id}`, patch).then((one) => one.body?.cancel());
      isPatched = true;
    }
    return await send(service, embedded);
  };
}

Deno.test("POST /v1/chat/stream: an agent that remembers its visitors costs one read unit more, and no commit", async () => {
  for (const pace of Object.values(PACES)) {
    const plain = await costOfChat(asVisitor(), pace);
    const costs = await costOfChat(asRemembering(), pace);
    assertEquals(costs.written, plain.written);
    assertEquals(
      [costs.commits, costs.readUnits, costs.lists],
      [plain.commits, plain.readUnits + 1, plain.lists],
    );
  }
});

/** Continues one conversation; if `replacing`, by asking again for the last answer. */
function inConversation({ replacing }: { replacing: boolean }): Send {
  const conversationId = crypto.randomUUID();
  let last: string | null = null;
  return async (service, { agent, sessionToken }) => {
    const of = replacing && last !== null ? { replaces: last } : {};
    const body = { conversationId, ...of };
    const response = await onPage(service, { agent, sessionToken, body });
    last = response.headers.get("x-run-id");
    return response;
  };
}

Deno.test("POST /v1/chat/stream: a message that replaces a run costs 2 read units more, and no commit", async () => {
  const pace = PACES["at once"];
  const plain = await costOfChat(inConversation({ replacing: false }), pace);
  const replacing = await costOfChat(inConversation({ replacing: true }), pace);
  assertEquals(replacing.written, plain.written);
  assertEquals(
    [replacing.commits, replacing.readUnits - plain.readUnits, replacing.lists],
    [plain.commits, 2, 0],
  );
});

Deno.test("POST /v1/chat/stream: a session that is bound to a key costs no commit and no read more", async () => {
  for (const pace of Object.values(PACES)) {
    const unbound = await costOfChat(CALLERS["a session"]!, pace);
    let bound: BoundSession | undefined;
    const costs = await costOfChat(async (service, { agent, sessionToken: token }) => {
      bound ??= new BoundSession(service, { token, agent, key: await ProofKey.create() });
      return await bound.send();
    }, pace);
    assertEquals(costs.written, unbound.written);
    assertEquals(
      [costs.commits, costs.readUnits, costs.lists],
      [unbound.commits, unbound.readUnits, unbound.lists],
    );
  }
});

Deno.test("an idle process costs one list per 30 s, one more per five minutes and an hour, and nothing else", async () => {
  await using fixture = await start();
  const { meter, clock, service } = fixture;
  await send(service);
  const { orphanedRuns, documents, attachmentSweeper, auditChainer } = service.service;
  orphanedRuns.start();
  documents.start();
  attachmentSweeper.start();
  auditChainer.start();
  const advance = async (seconds: number) => {
    for (let n = 0; n < seconds; n++) {
      await clock.advance(1_000);
      await meter.idle();
    }
  };
  // Requests cause follow-up work, such as measuring the day's conversations; let it finish.
  await advance(5 * 60);
  // Expired attachments are looked for once an hour, the first time after ten minutes; entries of audit
  // logs to chain every five.
  let sweeps = 1 + 2;
  for (let minute = 0; minute < 10; minute++) {
    meter.take();
    await advance(60);
    const { lists, gets, commits } = meter.take();
    const extra = Math.min(sweeps, Math.max(0, lists - IDLE_LISTS_PER_MINUTE));
    sweeps -= extra;
    assertEquals(
      [lists - extra <= IDLE_LISTS_PER_MINUTE, gets, commits],
      [true, 0, 0],
      `${lists} lists in a minute`,
    );
  }

  meter.take();
  // What the cron job in `main.ts` runs.
  await orphanedRuns.sweep();
  await documents.sweep();
  await documents.whenIdle();
  await attachmentSweeper.sweepIfDue();
  await auditChainer.sweepIfDue();
  const { lists, gets, commits } = meter.take();
  assertEquals(
    [lists <= LISTS_OF_CRON, gets, commits],
    [true, 0, 0],
    `${lists} lists by the cron job`,
  );

  async function send(to: TestService): Promise<void> {
    const { key } = await embed(to);
    await (await to.fetch("/v1/agents", { key })).text();
  }
});

/** Opens the store as a process does that a request with this key has started. */
async function openForRequest(key: string, kv: Deno.Kv): Promise<{ kv: Deno.Kv; end: () => void }> {
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

/** Round trips to the store from the start of a process until its first answer begins. */
async function roundTripsOfFirstChat(send: Send, options: { isOpen: boolean }): Promise<number> {
  using store = await Deno.openKv(":memory:");
  const env = { PUBLIC_URL: "http://127.0.0.1:9" };
  await using first = await TestService.start({ kv: store, keepKv: true, env });
  const embedded = await embed(first);
  // An earlier process has written what the first process on a store writes.
  (await openForRequest(embedded.key, store)).end();
  const meter = meteredKv(store, { far: true });
  const { kv, end } = await openForRequest(embedded.key, meter.kv);
  const from = options.isOpen ? meter.kv : kv;
  await using cold = await TestService.start({ kv: from, keepKv: true, env, inHaste: true });
  end();
  const opening = meter.take().rounds;
  // Runs in the background; the answer does not wait for it.
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
  Deno.test(`POST /v1/chat/stream: a process's first answer begins after 3 round trips to the store (${caller})`, async () => {
    assertEquals(await roundTripsOfFirstChat(send, { isOpen: false }), 3);
  });
}

Deno.test("POST /v1/chat/stream: once the service is open, the first answer takes 2 round trips for a session, 3 for an API key", async () => {
  const rounds = await Promise.all(
    Object.values(CALLERS).map((send) => roundTripsOfFirstChat(send, { isOpen: true })),
  );
  assertEquals(rounds, [2, 3]);
});
