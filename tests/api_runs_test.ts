/** Resuming and cancelling a run: CONTRACT section 6. */
import { setImmediate } from "node:timers";
import { assert, assertEquals } from "@std/assert";
import { RunLogStore } from "@/lib/store/runs/run_log_store.ts";
import { contentCipher } from "./support/content.ts";
import { expectError, expectInvalid } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { readFrames } from "./support/frames.ts";
import { sweepOrphaned } from "./support/sweep_orphaned.ts";
import { TestService } from "./support/service.ts";
import { openTestKv } from "./support/open_kv.ts";

const SHOP = "https://shop.example";

/** A sleep that ends only when it is aborted. */
function untilAborted(_ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** A service with an agent, a key and a visitor's session. */
async function start(options: Parameters<typeof TestService.start>[0] = instantRuntime()) {
  const service = await TestService.start(options);
  const key = await service.key();
  const agent = await service.agent(key, { allowedOrigins: [SHOP] });
  const token = await service.mint(key, agent.id, SHOP);
  return { service, key, agent, token };
}

function send(service: TestService, agentId: string, token: string): Promise<Response> {
  const messages = [{ role: "user", content: "Tell me something" }];
  return service.fetch("/v1/chat/stream", {
    method: "POST",
    json: { agentId, sessionToken: token, messages },
    headers: bySession(token),
  });
}

function bySession(token: string): Record<string, string> {
  return { "x-service-session": token, origin: SHOP };
}

function resume(
  service: TestService,
  runId: string,
  init: { query?: string } & RequestInit & { key?: string } = {},
) {
  const { query = "", ...rest } = init;
  return service.fetch(`/v1/chat/runs/${runId}/stream${query}`, rest);
}

Deno.test("GET …/stream: replays a finished run from any position, byte for byte", async () => {
  const { service, agent, token, key } = await start();
  await using _ = service;
  const first = await send(service, agent.id, token);
  const runId = first.headers.get("x-run-id")!;
  const wire = await first.text();
  const events = wire.split("\n\n").slice(1, -1).map((event) => `${event}\n\n`);
  assertEquals(await (await resume(service, runId, { key })).text(), wire);
  for (const after of [1, 2, events.length - 1]) {
    const rest = "retry: 1500\n\n" + events.slice(after).join("");
    const byQuery = await resume(service, runId, { key, query: `?after=${after}` });
    assertEquals(await byQuery.text(), rest);
    const headers = { ...bySession(token), "last-event-id": `${runId}.${after}` };
    assertEquals(await (await resume(service, runId, { headers })).text(), rest);
  }
  const nothing = await resume(service, runId, { key, query: `?after=${events.length}` });
  assertEquals([nothing.status, nothing.body], [204, null]);
});

Deno.test("GET …/stream: does not count as a request of the address, but a cancel does", async () => {
  const { service, agent, token } = await start({ ...instantRuntime(), limits: { ipRequests: 8 } });
  await using _ = service;
  const first = await send(service, agent.id, token);
  const runId = first.headers.get("x-run-id")!;
  await first.text();
  const headers = bySession(token);
  for (let n = 0; n < 20; n++) {
    assertEquals((await (await resume(service, runId, { headers })).text()).length > 0, true);
  }
  const cancel = await service.fetch(`/v1/chat/runs/${runId}/cancel`, { method: "POST", headers });
  assertEquals([cancel.status, cancel.headers.get("ratelimit")], [202, '"ip";r=4;t=60']);
});

Deno.test("GET …/stream: only the run's key or session may follow it, and it is 404 to others", async () => {
  const { service, agent, token, key } = await start();
  await using _ = service;
  const first = await send(service, agent.id, token);
  const runId = first.headers.get("x-run-id")!;
  await first.text();
  const again = await service.mint(key, agent.id, SHOP);
  assertEquals((await resume(service, runId, { headers: bySession(again) })).status, 200);
  const other = await service.agent(key, { allowedOrigins: [SHOP] });
  const foreign = await service.mint(key, other.id, SHOP);
  await expectError(await resume(service, runId, { headers: bySession(foreign) }), "not_found");
  const theirs = await service.key(["agents:write"], crypto.randomUUID());
  await expectError(await resume(service, runId, { key: theirs }), "not_found");
  await expectError(await resume(service, crypto.randomUUID(), { key }), "not_found");
  await expectError(await resume(service, "not-a-uuid", { key }), "not_found");
  await expectError(await resume(service, runId), "invalid_api_key");
  const elsewhere = { ...bySession(token), origin: "https://evil.example" };
  await expectError(await resume(service, runId, { headers: elsewhere }), "origin_not_allowed");
  await expectInvalid(await resume(service, runId, { key, query: "?after=x" }), ["after"]);
  const headers = { "last-event-id": `${crypto.randomUUID()}.3` };
  await expectInvalid(await resume(service, runId, { key, headers }), ["Last-Event-ID"]);
});

Deno.test("GET …/stream: a deleted agent's run remains visible only to its own origin", async () => {
  const { service, agent, token, key } = await start();
  await using _ = service;
  const first = await send(service, agent.id, token);
  const runId = first.headers.get("x-run-id")!;
  await first.text();
  await service.fetch(`/v1/agents/${agent.id}`, { method: "DELETE", key });
  const elsewhere = { ...bySession(token), origin: "https://evil.example" };
  await expectError(await resume(service, runId, { headers: elsewhere }), "origin_not_allowed");
  const cancel = `/v1/chat/runs/${runId}/cancel`;
  const cancelled = await service.fetch(cancel, { method: "POST", headers: elsewhere });
  await expectError(cancelled, "origin_not_allowed");
  const { status, body } = await resume(service, runId, { headers: bySession(token) });
  assertEquals(status, 200);
  await body?.cancel();
});

Deno.test("GET …/stream: a session without an origin cannot follow a run that an API key started", async () => {
  const { service, agent, key } = await start();
  await using _ = service;
  const messages = [{ role: "user", content: "Hello" }];
  const json = { agentId: agent.id, messages };
  const first = await service.fetch("/v1/chat/stream", { method: "POST", key, json });
  const runId = first.headers.get("x-run-id")!;
  await first.text();
  const path = `/v1/agents/${agent.id}/playground-session`;
  const minted = await service.fetch(path, { method: "POST", key });
  const { sessionToken } = await minted.json();
  const headers = { "x-service-session": sessionToken };
  await expectError(await resume(service, runId, { headers }), "not_found");
});

Deno.test("GET …/stream: the session that started a run can follow it after it expires, but not after it is revoked", async () => {
  const { runtime, advance } = instantRuntime();
  const { service, agent, token, key } = await start({ runtime });
  await using _ = service;
  await advance(14 * 60_000 + 55_000);
  const first = await send(service, agent.id, token);
  const runId = first.headers.get("x-run-id")!;
  await first.text();
  await advance(10_000);
  assertEquals((await resume(service, runId, { headers: bySession(token) })).status, 200);
  const init = { method: "DELETE", key, json: { sessionToken: token } };
  assertEquals((await service.fetch("/v1/widget/session", init)).status, 204);
  const rejected = await resume(service, runId, { headers: bySession(token) });
  await expectError(rejected, "session_token_invalid");
});

Deno.test("GET …/stream: 10 minutes after its end a run's log is 410, and the run is not repeated", async () => {
  const { runtime, advance } = instantRuntime();
  const { service, agent, token, key } = await start({ runtime });
  await using _ = service;
  const first = await send(service, agent.id, token);
  const runId = first.headers.get("x-run-id")!;
  await first.text();
  await advance(10 * 60_000 - 1);
  assertEquals((await resume(service, runId, { key })).status, 200);
  await advance(1);
  await expectError(await resume(service, runId, { key }), "stream_expired");
});

Deno.test("POST …/cancel: ends the run at once for every follower, and may be repeated", async () => {
  const { service, agent, token } = await start({ runtime: { sleep: untilAborted } });
  await using _ = service;
  const stream = await send(service, agent.id, token);
  const runId = stream.headers.get("x-run-id")!;
  const follower = await resume(service, runId, { headers: bySession(token) });
  const cancel = () =>
    service.fetch(`/v1/chat/runs/${runId}/cancel`, { method: "POST", headers: bySession(token) });
  for (let n = 0; n < 2; n++) {
    const answer = await cancel();
    assertEquals([answer.status, await answer.text()], [202, ""]);
  }
  const followed = await Promise.all([stream, follower].map(readFrames));
  assertEquals(followed[0], followed[1]);
  const types = followed[0]!.map(({ frame }) => frame.type);
  assertEquals(types.slice(-2), ["usage", "done"]);
  assertEquals(followed[0]!.at(-1)?.frame, { type: "done", finishReason: "cancelled" });
  assertEquals((await cancel()).status, 202);
});

Deno.test("GET …/stream: another process can follow a live run and cancel it", async () => {
  const kv = await openTestKv();
  const { service, agent, token } = await start({
    kv,
    keepKv: true,
    runtime: { sleep: untilAborted },
  });
  await using owner = service;
  await using other = await TestService.start({ kv, keepKv: true });
  const stream = await send(owner, agent.id, token);
  const runId = stream.headers.get("x-run-id")!;
  const follower = await resume(other, runId, { headers: bySession(token) });
  const url = `/v1/chat/runs/${runId}/cancel`;
  const cancel = await other.fetch(url, { method: "POST", headers: bySession(token) });
  assertEquals(cancel.status, 202);
  const followed = await Promise.all([stream, follower].map(readFrames));
  assertEquals(followed[0], followed[1]);
  assertEquals(followed[1]!.at(-1)?.frame, { type: "done", finishReason: "cancelled" });
  await owner[Symbol.asyncDispose]();
  kv.close();
});

Deno.test("DELETE /v1/widget/session: revoking a session in one process ends its run in another", async () => {
  const kv = await openTestKv();
  const { service, agent, token, key } = await start({
    kv,
    keepKv: true,
    runtime: { sleep: untilAborted },
  });
  await using owner = service;
  await using other = await TestService.start({ kv, keepKv: true });
  const stream = await send(owner, agent.id, token);
  const init = { method: "DELETE", key, json: { sessionToken: token } };
  assertEquals((await other.fetch("/v1/widget/session", init)).status, 204);
  const frames = await readFrames(stream);
  assertEquals(frames.at(-1)?.frame, { type: "done", finishReason: "cancelled" });
});

Deno.test("GET …/stream: a run whose process died resumes after the last frame the client saw, and ends", async () => {
  const kv = await openTestKv();
  const { runtime, advance } = instantRuntime();
  const { service, agent, token, key } = await start({
    kv,
    keepKv: true,
    runtime: { ...runtime, sleep: untilAborted },
  });
  await using dead = service;
  const stream = await send(dead, agent.id, token);
  const runId = stream.headers.get("x-run-id")!;
  const tenant = await dead.tenant();
  const logs = new RunLogStore(kv, contentCipher());
  let stored = 0;
  while (stored === 0) {
    await new Promise((wake) => setImmediate(wake));
    stored = (await logs.readAll({ tenant, runId }))!.frames.length;
  }
  // The lease is no longer renewed, so other processes consider its owner dead.
  await using alive = await TestService.start({ kv, keepKv: true, runtime });
  await sweepOrphaned(alive.service.orphanedRuns, advance);
  for (const seen of [0, stored, stored + 40]) {
    const answer = await resume(alive, runId, { key, query: `?after=${seen}` });
    const frames = await readFrames(answer);
    const last = Math.max(seen, stored);
    assertEquals(frames.slice(-2).map(({ id, frame }) => [id, frame.type]), [
      [`${runId}.${last + 1}`, "error"],
      [`${runId}.${last + 2}`, "done"],
    ]);
    assertEquals(frames.length, Math.max(0, stored - seen) + 2);
    const error = frames.at(-2)!.frame;
    assert(error.type === "error" && error.code === "run_interrupted");
    // Resume between the two frames, then after both.
    const cut = await resume(alive, runId, { key, query: `?after=${last + 1}` });
    assertEquals((await readFrames(cut)).map(({ id }) => id), [`${runId}.${last + 2}`]);
    const again = await resume(alive, runId, { key, query: `?after=${last + 2}` });
    assertEquals(again.status, 204);
  }
  await stream.body?.cancel();
});
