/** Reading an answer by polls, where a proxy buffers streams: docs/protocol.md. */
import { setImmediate } from "node:timers";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { DEFAULT_LIMITS } from "@/lib/billing/limits.ts";
import { acceleratedRuntime } from "./support/accelerated_runtime.ts";
import { expectError, expectInvalid } from "./support/expect_response.ts";
import { FakeRuntime } from "./support/fake_runtime.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { ManualClock } from "./support/manual_clock.ts";
import { openTestKv } from "./support/open_kv.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { TestService } from "./support/service.ts";
import { memoryStore, onStores } from "./support/shared_store.ts";
import { sweepOrphaned } from "./support/sweep_orphaned.ts";
import { byKey, embed, onPage, ORIGIN, say } from "./support/widget_calls.ts";

const test = onStores(memoryStore);
const OPENING = "retry: 1500\n\n";

/** A poll of a run by a visitor's session or an API key. */
function poll(
  service: TestService,
  { runId, after, wait = "25", query = "", key, token }: {
    runId: string;
    after?: number | string;
    wait?: string;
    query?: string;
    key?: string;
    token?: string;
  },
) {
  const headers = {
    ...token !== undefined && { "x-service-session": token, origin: ORIGIN },
    ...after !== undefined && { "last-event-id": `${after}` },
  };
  const path = `/v1/chat/runs/${runId}/stream?wait=${wait}${query}`;
  return service.fetch(path, { headers, ...key !== undefined && { key } });
}

const tick = () => new Promise<void>((wake) => setImmediate(wake));
const lastNumber = (text: string) => Number([...text.matchAll(/^id: .*\.(\d+)$/gm)].at(-1)?.[1]);

Deno.test("GET …/stream?wait: the bytes of the resumed stream after every position, then 204", async () => {
  await using service = await TestService.start(instantRuntime());
  const { key, agent, sessionToken: token } = await embed(service);
  const first = await onPage(service, { agent, sessionToken: token });
  const runId = first.headers.get("x-run-id")!;
  const events = (await first.text()).split("\n\n").slice(1, -1);
  for (let after = 0; after < events.length; after++) {
    const resumed = await service.fetch(`/v1/chat/runs/${runId}/stream?after=${after}`, { key });
    const text = await resumed.text();
    assertEquals(text, OPENING + events.slice(after).map((event) => `${event}\n\n`).join(""));
    for (const caller of [{ key }, { token }]) {
      const polled = await poll(service, { runId, after: `${runId}.${after}`, ...caller });
      assertEquals([polled.status, await polled.text()], [200, text]);
      const { headers } = polled;
      const length = String(new TextEncoder().encode(text).length);
      assertEquals([headers.get("content-length"), headers.get("transfer-encoding")], [
        length,
        null,
      ]);
      assertEquals(headers.get("content-type"), "text/event-stream; charset=utf-8");
      assertEquals(headers.get("x-run-id"), runId);
    }
    const byQuery = await poll(service, { runId, query: `&after=${after}`, token });
    assertEquals(await byQuery.text(), text);
  }
  const nothing = await poll(service, { runId, after: events.length, token });
  assertEquals([nothing.status, nothing.body], [204, null]);
});

Deno.test("GET …/stream?wait: without a new frame it ends after that many seconds with a comment", async () => {
  const time = new FakeRuntime();
  const held = pausableRuntime(time.now());
  const asleep = Promise.withResolvers<void>();
  const sleep = (ms: number, signal?: AbortSignal) => {
    if (ms !== 7_000) return held.runtime.sleep(ms, signal);
    asleep.resolve();
    return time.sleep(ms, signal);
  };
  await using service = await TestService.start({ runtime: { ...held.runtime, sleep } });
  const { agent, sessionToken: token } = await embed(service);
  const first = await onPage(service, { agent, sessionToken: token });
  const runId = first.headers.get("x-run-id")!;
  const begun = await (await poll(service, { runId, token })).text();
  const waiting = poll(service, { runId, after: lastNumber(begun), wait: "7", token });
  await asleep.promise;
  await time.advance(7_000);
  const empty = await waiting;
  assertEquals([empty.status, empty.body], [204, null]);
  assertEquals(empty.headers.get("x-run-id"), runId);
  const next = poll(service, { runId, after: lastNumber(begun), token });
  held.release();
  let text = begun + (await (await next).text()).slice(OPENING.length);
  while (!text.includes("event: done")) {
    const more = await poll(service, { runId, after: lastNumber(text), token });
    text += (await more.text()).slice(OPENING.length);
  }
  assertEquals(text, await first.text());
});

Deno.test("POST /v1/chat/stream?wait: returns the first frames, and repeated joins the run without another charge", async () => {
  const held = pausableRuntime();
  await using service = await TestService.start({ runtime: held.runtime });
  const { key, agent, sessionToken } = await embed(service);
  const headers = { "idempotency-key": "one-message-of-a-visitor", origin: ORIGIN };
  const send = (query: string) =>
    service.fetch(`/v1/chat/stream${query}`, {
      method: "POST",
      json: { agentId: agent.id, sessionToken, messages: [say("Hello")] },
      headers: { ...headers, "x-service-session": sessionToken },
    });
  const streamed = await send("");
  // The client has not received a byte of it, and leaves.
  await streamed.body?.cancel();
  const polled = await send("?wait=25");
  assertEquals(polled.headers.get("idempotency-replayed"), "true");
  assertEquals(polled.headers.get("transfer-encoding"), null);
  const runId = polled.headers.get("x-run-id")!;
  assertEquals(runId, streamed.headers.get("x-run-id"));
  const text = await polled.text();
  assertMatch(text, /^retry: 1500\n\nid: [^]*\nevent: start\n[^]*\nevent: delta\n/);
  held.release();
  const end = await service.fetch(`/v1/chat/runs/${runId}/stream?after=0`, { key });
  const whole = await end.text();
  assert(whole.startsWith(text) && whole.includes(`"finishReason":"stop"`));
  assertEquals(await (await send("?wait=1")).text(), whole);
  const next = await onPage(service, { agent, sessionToken });
  assertMatch(next.headers.get("ratelimit")!, /"session_messages";r=48;/);
  await next.text();
});

Deno.test("?wait: is 1 to 25 whole seconds, for frames only, and checked after the credential", async () => {
  await using service = await TestService.start(instantRuntime());
  const { agent, sessionToken: token } = await embed(service);
  const first = await onPage(service, { agent, sessionToken: token });
  const runId = first.headers.get("x-run-id")!;
  await first.text();
  const json = { agentId: agent.id, sessionToken: token, messages: [say("Hello")] };
  const headers = { "x-service-session": token, origin: ORIGIN };
  const bad = ["", "0", "26", "007", "1.5", "-1", "1e1", "+5", "%205", "x", "999999", "5&wait=5"];
  for (const wait of [...bad, "5&protocol=ai-sdk-ui", "5&protocol=ag-ui"]) {
    await expectInvalid(await poll(service, { runId, token, wait }), ["wait"]);
    const init = { method: "POST", json, headers };
    await expectInvalid(await service.fetch(`/v1/chat/stream?wait=${wait}`, init), ["wait"]);
  }
  const nobody = { "x-service-session": "cs_nobody_ever_minted_this" };
  const init = { method: "POST", json: { ...json, sessionToken: nobody["x-service-session"] } };
  const rejected = await service.fetch("/v1/chat/stream?wait=x", { ...init, headers: nobody });
  await expectError(rejected, "session_token_invalid");
  for (const wait of ["1", "25"]) {
    assertEquals((await poll(service, { runId, token, wait })).status, 200);
  }
});

Deno.test("GET …/stream?wait: a run of others is 404, and an expired one 410", async () => {
  const { runtime, advance } = instantRuntime();
  await using service = await TestService.start({ runtime });
  const { key, agent, sessionToken: token } = await embed(service);
  const first = await onPage(service, { agent, sessionToken: token });
  const runId = first.headers.get("x-run-id")!;
  await first.text();
  const other = await service.agent(key, { allowedOrigins: [ORIGIN] });
  const foreign = await service.mint(key, other.id, ORIGIN);
  await expectError(await poll(service, { runId, token: foreign }), "not_found");
  const theirs = await service.key(["agents:write"], crypto.randomUUID());
  await expectError(await poll(service, { runId, key: theirs }), "not_found");
  await expectError(await poll(service, { runId }), "invalid_api_key");
  await expectError(await poll(service, { runId: crypto.randomUUID(), key }), "not_found");
  advance(10 * 60_000);
  await expectError(await poll(service, { runId, key }), "stream_expired");
});

Deno.test("GET …/stream?wait: counts as a resume, so that it takes no message and no request", async () => {
  const limits = { ...DEFAULT_LIMITS, ipResumes: 40 };
  await using service = await TestService.start({ ...instantRuntime(), limits });
  const { agent, sessionToken: token } = await embed(service);
  const send = () => onPage(service, { agent, sessionToken: token });
  const first = await send();
  const runId = first.headers.get("x-run-id")!;
  await first.text();
  const left = (response: Response, name: string) =>
    Number(new RegExp(`"${name}";r=(\\d+)`).exec(response.headers.get("ratelimit")!)![1]);
  for (let polls = 1; polls <= 40; polls++) {
    const polled = await poll(service, { runId, token });
    assertEquals([polled.status, left(polled, "ip_resume")], [200, 40 - polls]);
    await polled.text();
  }
  const rejected = await poll(service, { runId, token });
  const { details } = await expectError(rejected, "rate_limit_exceeded");
  assertEquals(details, { scope: "ip_resume", limit: 40, windowSeconds: 60 });
  const second = await send();
  for (const name of ["ip", "session_messages"]) {
    assertEquals(left(second, name), left(first, name) - 1, name);
  }
  await second.text();
});

Deno.test("?wait: a run without other followers continues for 10 s after a poll, however short UNWATCHED_RUN_MS is", async () => {
  const clock = new ManualClock();
  const held = pausableRuntime();
  const sleep = (ms: number, signal?: AbortSignal) =>
    ms < 100 ? held.runtime.sleep(ms, signal) : clock.runtime.sleep(ms, signal);
  await using service = await TestService.start({
    runtime: { ...clock.runtime, sleep },
    env: { UNWATCHED_RUN_MS: "200" },
  });
  const key = await service.key();
  const budget = { maxCostUsd: 1, maxSteps: 4, wallClockMs: 120_000 };
  const { id: agentId } = await service.agent(key, { budget });
  const json = { agentId, messages: [say("Hello")] };
  const first = await service.fetch("/v1/chat/stream?wait=25", { method: "POST", key, json });
  const runId = first.headers.get("x-run-id")!;
  let last = lastNumber(await first.text());
  const { chat } = service.service;
  for (let polls = 0; polls < 4; polls++) {
    await clock.advance(9_000);
    assertEquals(chat.active.map(({ signal }) => signal.aborted), [false]);
    const polled = await poll(service, { runId, key, after: last - 1 });
    last = lastNumber(await polled.text());
  }
  await clock.advance(10_000);
  while (chat.active.length > 0) await tick();
  const ended = await service.fetch(`/v1/chat/runs/${runId}/stream`, { key });
  assertMatch(await ended.text(), /"finishReason":"cancelled"/);
});

test("GET …/stream?wait: polls through other processes read the same bytes and keep the run going", async (store) => {
  const waits: PromiseWithResolvers<void>[] = [];
  const held = pausableRuntime(Date.now());
  const UNWATCHED_MS = 30_000;
  const sleep = (ms: number, signal?: AbortSignal) => {
    if (ms !== UNWATCHED_MS) return held.runtime.sleep(ms, signal);
    const wait = Promise.withResolvers<void>();
    waits.push(wait);
    signal?.addEventListener("abort", () => wait.reject(signal.reason), { once: true });
    return wait.promise;
  };
  const open = async (options: Parameters<typeof TestService.start>[0] = {}) =>
    await TestService.start({ kv: await store.open(), keepKv: true, ...options });
  await using owner = await open({ runtime: { ...held.runtime, sleep } });
  await using other = await open({ runtime: acceleratedRuntime });
  const key = await owner.key();
  const budget = { maxCostUsd: 1, maxSteps: 4, wallClockMs: 60_000 };
  const { id: agentId } = await owner.agent(key, { budget });
  const first = await byKey(owner, { key, body: { agentId } });
  const runId = first.headers.get("x-run-id")!;
  await first.body?.cancel();
  const kv = await store.open();
  // Each wait of the owner finds a poll that the other process has recorded since the last one.
  for (let n = 0; n < 3; n++) {
    const before = (await Array.fromAsync(kv.list({ prefix: ["runs_watched"] })))[0]?.versionstamp;
    const polled = await poll(other, { runId, key });
    assertMatch(await polled.text(), /event: delta/);
    // Within 10 s after a poll, the other process records the client again.
    let now = before;
    while (now === before) {
      await tick();
      now = (await Array.fromAsync(kv.list({ prefix: ["runs_watched"] })))[0]?.versionstamp;
    }
    while (waits.length <= n) await tick();
    waits[n]!.resolve();
    while (waits.length <= n + 1) await tick();
    assertEquals(owner.service.chat.active.map(({ signal }) => signal.aborted), [false]);
  }
  held.release();
  let text = OPENING;
  for (let n = 0; !text.includes("event: done"); n++) {
    const after = lastNumber(text) || 0;
    const polled = await poll(n % 2 ? owner : other, { runId, key, after });
    text += (await polled.text()).slice(OPENING.length).replace(": ping\n\n", "");
  }
  const whole = await owner.fetch(`/v1/chat/runs/${runId}/stream`, { key });
  assertEquals(text, await whole.text());
});

Deno.test("GET …/stream?wait: a run whose process died ends with run_interrupted, once", async () => {
  using kv = await openTestKv();
  const { runtime, advance } = instantRuntime();
  const held = pausableRuntime();
  await using dead = await TestService.start({ kv, keepKv: true, runtime: held.runtime });
  const key = await dead.key();
  const { id: agentId } = await dead.agent(key);
  const first = await byKey(dead, { key, body: { agentId } });
  const runId = first.headers.get("x-run-id")!;
  await using alive = await TestService.start({ kv, keepKv: true, runtime });
  const begun = lastNumber(await (await poll(alive, { runId, key })).text());
  await sweepOrphaned(alive.service.orphanedRuns, advance);
  const ended = await (await poll(alive, { runId, key, after: begun })).text();
  assertEquals([...ended.matchAll(/^event: (.*)$/gm)].map(([, type]) => type), ["error", "done"]);
  assertMatch(ended, /"run_interrupted"/);
  assertEquals((await poll(alive, { runId, key, after: lastNumber(ended) })).status, 204);
  await first.body?.cancel();
});
