/** Following and cancelling a run from another process: CONTRACT section 6. */
import { setImmediate } from "node:timers";
import { assert, assertEquals } from "@std/assert";
import type { RunLogHead } from "@/lib/store/runs/run_log_head.ts";
import { httpTool } from "./support/agent_bodies.ts";
import { acceleratedRuntime } from "./support/accelerated_runtime.ts";
import { catalogueEntry } from "./support/chat.ts";
import { kvWithoutWatch } from "./support/kv_without_watch.ts";
import { expectError } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { onlyFrame } from "./support/frame_types.ts";
import { readFrames } from "./support/frames.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { TestService } from "./support/service.ts";
import { openTestKv } from "./support/open_kv.ts";
import { servedStore } from "./support/served_store.ts";
import { memoryStore, onStores, type SharedStore } from "./support/shared_store.ts";
import { byKey, say } from "./support/widget_calls.ts";

const test = onStores(memoryStore, servedStore);

const UNWATCHED_MS = 30_000;
const nextTick = () => new Promise((wake) => setImmediate(wake));

/** Two services on one store; with `withoutWatch` the store reports no changes. */
async function startTwo(
  store: SharedStore,
  options: { system?: Parameters<typeof TestService.start>[0]; withoutWatch?: boolean } = {},
) {
  const kv = await store.open();
  const open = async () =>
    options.withoutWatch ? kvWithoutWatch(await store.open()) : await store.open();
  const owner = await TestService.start({ kv: await open(), keepKv: true, ...options.system });
  const other = await TestService.start({
    kv: await open(),
    keepKv: true,
    runtime: acceleratedRuntime,
  });
  const dispose = async () => {
    await other[Symbol.asyncDispose]();
    await owner[Symbol.asyncDispose]();
  };
  return { kv, owner, other, [Symbol.asyncDispose]: dispose };
}

const streamOf = (runId: string) => `/v1/chat/runs/${runId}/stream`;

Deno.test("HEAD /v1/chat/runs/:id/stream returns the headers and does not follow the run", async () => {
  const held = pausableRuntime();
  await using service = await TestService.start({ runtime: held.runtime });
  const key = await service.key();
  const { id: agentId } = await service.agent(key);
  const running = await byKey(service, { key, body: { agentId } });
  const runId = running.headers.get("x-run-id")!;
  const check = async () => {
    const head = await service.fetch(streamOf(runId), { method: "HEAD", key });
    assertEquals([head.status, head.headers.get("x-run-id")], [200, runId]);
    assertEquals(head.headers.get("content-type"), "text/event-stream; charset=utf-8");
    assertEquals(await head.text(), "");
  };
  await check();
  held.release();
  await running.text();
  await check();
  const none = await service.fetch(streamOf(crypto.randomUUID()), { method: "HEAD", key });
  assertEquals([none.status, none.body], [404, null]);
  const chat = await service.fetch("/v1/chat/stream", { method: "HEAD", key });
  assertEquals([chat.status, chat.headers.get("allow")], [405, "POST, OPTIONS"]);
});

test("a 200 KB tool result spans several chunks of the log and is replayed whole by any process", async (store) => {
  const tool = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response("ä".repeat(100_000), { headers: { "content-type": "text/plain" } }),
  );
  const host = `127.0.0.1:${tool.addr.port}`;
  await using two = await startTwo(store, {
    system: { env: { EGRESS_ALLOW: host }, runtime: acceleratedRuntime },
  });
  const { kv, owner, other } = two;
  const key = await owner.key();
  const request = { method: "GET", url: `http://${host}/` };
  const tools = [{ ...httpTool({ request }), maxResponseBytes: 262_144 }];
  const { id: agentId } = await owner.agent(key, { tools, allowedDomains: [host] });
  const body = { agentId, messages: [say("use lookup with {}")] };
  const first = await byKey(owner, { key, body });
  const runId = first.headers.get("x-run-id")!;
  const [live, again] = await Promise.all([first.text(), textOf(other, { runId, key })]);
  assertEquals(again, live);
  assert(live.length > 100_000);
  const [head] = await Array.fromAsync(kv.list<RunLogHead>({ prefix: ["run_heads"] }));
  assert(head!.value.chunks > 4);
  assertEquals(await textOf(other, { runId, key }), live);
  await tool.shutdown();
});

async function textOf(service: TestService, { runId, key }: { runId: string; key: string }) {
  return await (await service.fetch(streamOf(runId), { key })).text();
}

test("a run whose only follower is in another process continues until that follower leaves", async (store) => {
  const waits: PromiseWithResolvers<void>[] = [];
  const held = pausableRuntime(Date.now());
  const sleep = (ms: number, signal?: AbortSignal) => {
    if (ms !== UNWATCHED_MS) return held.runtime.sleep(ms, signal);
    const wait = Promise.withResolvers<void>();
    waits.push(wait);
    signal?.addEventListener("abort", () => wait.reject(signal.reason), { once: true });
    return wait.promise;
  };
  await using two = await startTwo(store, { system: { runtime: { ...held.runtime, sleep } } });
  const { kv, owner, other } = two;
  const key = await owner.key();
  // The agent's own timeout differs from UNWATCHED_MS, so that the two sleeps are not confused.
  const budget = { maxCostUsd: 1, maxSteps: 4, wallClockMs: 60_000 };
  const { id: agentId } = await owner.agent(key, { budget });
  const first = await byKey(owner, { key, body: { agentId } });
  const runId = first.headers.get("x-run-id")!;
  const follower = await other.fetch(streamOf(runId), { key });
  const watched = async () => await Array.fromAsync(kv.list({ prefix: ["runs_watched"] }));
  while ((await watched()).length === 0) await nextTick();
  await first.body?.cancel();
  while (waits.length < 1) await nextTick();
  waits[0]!.resolve();
  while (waits.length < 2) await nextTick();
  assertEquals(owner.service.chat.active.map(({ signal }) => signal.aborted), [false]);
  await follower.body?.cancel();
  // The follower may have been recorded once more, so several waits may have to pass.
  const { chat } = owner.service;
  for (let n = 1; chat.active.length > 0; n++) {
    while (waits.length <= n && chat.active.length > 0) await nextTick();
    waits[n]?.resolve();
  }
  const again = await readFrames(await other.fetch(streamOf(runId), { key }));
  assertEquals(again.at(-1)?.frame, { type: "done", finishReason: "cancelled" });
});

test("without store notifications a run can be followed and cancelled from another process", async (store) => {
  await using two = await startTwo(store, {
    withoutWatch: true,
    system: { runtime: pausedModelFastPolling() },
  });
  const { owner, other } = two;
  const key = await owner.key();
  const { id: agentId } = await owner.agent(key);
  const first = await byKey(owner, { key, body: { agentId } });
  const runId = first.headers.get("x-run-id")!;
  const follower = await other.fetch(streamOf(runId), { key });
  const url = `/v1/chat/runs/${runId}/cancel`;
  assertEquals((await other.fetch(url, { method: "POST", key })).status, 202);
  const streams = await Promise.all([first, follower].map(readFrames));
  assertEquals(streams[0], streams[1]);
  assertEquals(onlyFrame(streams[1]!, "done").finishReason, "cancelled");
});

/** Pauses the model after its first word, and polls the store 25 times as often. */
function pausedModelFastPolling() {
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    ms > 100 && ms <= 1_000
      ? acceleratedRuntime.sleep(ms, signal)
      : pausableRuntime().runtime.sleep(ms, signal);
  return { sleep };
}

/** A service whose models are those of the mock provider. */
async function startOnProvider(mock: MockProviders, kv: Deno.Kv) {
  const env = { VENDOR_A_BASE_URL: mock.url, VENDOR_A_API_KEY: "sk-test" };
  const service = await TestService.start({ env, kv, keepKv: true, ...instantRuntime() });
  await service.service.catalogue.addMissing([catalogueEntry()]);
  return service;
}

Deno.test("a message that no model accepted leaves nothing stored and may be sent again", async () => {
  using kv = await openTestKv();
  await using mock = await MockProviders.start();
  await using service = await startOnProvider(mock, kv);
  const key = await service.key();
  const modelPolicy = { provider: "vendor_a", model: "mid" };
  const { id: agentId } = await service.agent(key, { modelPolicy });
  const headers = { "idempotency-key": "the-same-message-again" };
  const send = () => byKey(service, { key, body: { agentId }, headers });
  for (let tries = 0; tries < 2; tries++) {
    mock.next({ status: 401 });
    const rejected = await send();
    assertEquals(rejected.headers.get("idempotency-replayed"), null);
    await expectError(rejected, "provider_error");
  }
  assertEquals(await runKeysIn(kv), []);
  const answered = await send();
  assertEquals(answered.status, 200);
  const again = await send();
  assertEquals(again.headers.get("idempotency-replayed"), "true");
  assertEquals(await again.text(), await answered.text());
});

/** Keys that a run that never started must not leave behind: its log and its idempotency record. */
async function runKeysIn(kv: Deno.Kv): Promise<Deno.KvKey[]> {
  const entries = await Array.fromAsync(kv.list({ prefix: [] }));
  const names = ["run_heads", "run_chunks", "chat_receipts", "live_runs"];
  return entries.map(({ key }) => key).filter(([name]) => names.includes(String(name)));
}

Deno.test("a message sent twice concurrently gets an error both times if no model accepts it", async () => {
  using kv = await openTestKv();
  await using mock = await MockProviders.start();
  await using service = await startOnProvider(mock, kv);
  const { kv: observed, watched } = observeWatch(kv);
  await using other = await startOnProvider(mock, observed);
  const key = await service.key();
  const modelPolicy = { provider: "vendor_a", model: "mid" };
  const { id: agentId } = await service.agent(key, { modelPolicy });
  const headers = { "idempotency-key": "the-same-message-again" };
  const lookedUp = firstLookup(service);
  const answers = Promise.withResolvers<void>();
  // The provider answers late, and with a body that is not a stream.
  mock.next({
    status: 200,
    headers: { "content-type": "text/html" },
    say: [{ wait: answers.promise }],
  });
  const first = byKey(service, { key, body: { agentId }, headers });
  await mock.asked(1);
  const [again, elsewhere] = [service, other].map((one) =>
    byKey(one, { key, body: { agentId }, headers })
  );
  // Both have found the pending run, and wait for its outcome.
  await Promise.all([watched, lookedUp]);
  answers.resolve();
  for (const one of [first, again!]) await expectError(await one, "provider_error");
  const there = await elsewhere!;
  assertEquals(there.headers.get("retry-after"), "1");
  await expectError(there, "service_unavailable");
});

/** Resolves when the process looks up one of its runs by id. */
function firstLookup({ service: { chat } }: TestService): Promise<void> {
  const lookedUp = Promise.withResolvers<void>();
  const findOpened = chat.findOpened.bind(chat);
  chat.findOpened = (runId) => {
    lookedUp.resolve();
    return findOpened(runId);
  };
  return lookedUp.promise;
}

/** A store, with a promise that resolves at the first `watch` of a run's log. */
function observeWatch(kv: Deno.Kv): { kv: Deno.Kv; watched: Promise<void> } {
  const watched = Promise.withResolvers<void>();
  const proxy = new Proxy(kv, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const isHead = name === "watch" &&
          (args[0] as Deno.KvKey[]).some(([noun]) => noun === "run_heads");
        if (isHead) watched.resolve();
        return value.apply(target, args);
      };
    },
  });
  return { kv: proxy, watched: watched.promise };
}
