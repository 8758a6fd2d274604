/** Feedback on answers: CONTRACT section 11. */
import { assert, assertEquals, assertFalse } from "@std/assert";
import type { AgentFeedback, Feedback } from "@/lib/schemas/feedback.ts";
import type { Transcript } from "@/lib/schemas/conversation.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { ended, openConversations } from "./support/conversations.ts";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { flakyKv, seeded } from "./support/flaky_kv.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { openTestKv } from "./support/open_kv.ts";
import { storedKeys } from "./support/store.ts";
import { TestService } from "./support/service.ts";
import { byKey, onPage, ORIGIN, say } from "./support/widget_calls.ts";

const DAY_MS = 86_400_000;

type Fixture = Awaited<ReturnType<typeof openConversations>>;

function bySession(token: string, origin = ORIGIN): Record<string, string> {
  return { "x-service-session": token, origin };
}

/** A sleep that ends only when it is aborted. */
function untilAborted(_ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Calls on the feedback of a run, with the fixture's session unless `init` says otherwise. */
function calls({ service, sessionToken }: Pick<Fixture, "service" | "sessionToken">) {
  const send = (method: string) =>
  (
    runId: string,
    init: { json?: unknown; key?: string; headers?: HeadersInit } = {},
  ) => {
    const headers = init.key === undefined ? bySession(sessionToken) : {};
    return service.fetch(`/v1/chat/runs/${runId}/feedback`, { method, headers, ...init });
  };
  const put = send("PUT");
  return {
    ...{ put, withdraw: send("DELETE"), get: send("GET") },
    rate: async (runId: string, json: unknown) => {
      const response = await put(runId, { json });
      assertEquals([response.status, await response.text()], [204, ""]);
    },
  };
}

async function countsOf(
  { service, key, agent }: Pick<Fixture, "service" | "key" | "agent">,
  query = "",
): Promise<AgentFeedback> {
  const path = `/v1/agents/${agent.id}/feedback${query}`;
  return await expectJson(await service.fetch(path, { key }), 200);
}

Deno.test("PUT …/feedback: is stored, read, replaced as a whole and withdrawn", async () => {
  await using on = await openConversations();
  const { rate, get, withdraw } = calls(on);
  const { runId, id } = await on.chat("Hello");
  await expectError(await get(runId), "not_found");
  const given = {
    rating: "down",
    comment: "Nein, das stimmt nicht 🙁",
    reasons: ["tone", "other"],
  };
  await rate(runId, given);
  const stored: Feedback = await expectJson(await get(runId), 200);
  assertEquals(stored as unknown, { ...given, ratedAt: "2026-01-15T12:00:00.000Z" });
  assertEquals((await on.transcript(id)).runs[0]!.feedback, stored);
  await on.advance(1_000);
  await rate(runId, { rating: "up" });
  const replaced: Feedback = await expectJson(await get(runId, { key: on.key }), 200);
  assertEquals(replaced, { rating: "up", ratedAt: "2026-01-15T12:00:01.000Z" });
  for (let n = 0; n < 2; n++) assertEquals((await withdraw(runId)).status, 204);
  await expectError(await get(runId), "not_found");
  const [run] = (await on.transcript(id)).runs;
  assert(run !== undefined && !("feedback" in run));
});

Deno.test("PUT …/feedback: rejects what is not feedback, and keeps what was stored", async () => {
  await using on = await openConversations();
  const { put, rate, get } = calls(on);
  const { runId } = await on.chat("Hello");
  await rate(runId, { rating: "up", comment: "x".repeat(2_000), reasons: ["tone", "tone"] });
  const invalid: [unknown, string[]][] = [
    [{}, ["rating"]],
    [{ rating: "sideways" }, ["rating"]],
    [{ rating: "up", comment: "" }, ["comment"]],
    [{ rating: "up", comment: "x".repeat(2_001) }, ["comment"]],
    [{ rating: "up", comment: "\0" }, ["comment"]],
    [{ rating: "up", reasons: [""] }, ["reasons.0"]],
    [{ rating: "up", reasons: ["x".repeat(65)] }, ["reasons.0"]],
    [{ rating: "up", reasons: ["one\u0000"] }, ["reasons.0"]],
    [{ rating: "up", reasons: Array(9).fill("tone") }, ["reasons"]],
    [{ rating: "up", stars: 5 }, ["stars"]],
  ];
  for (const [json, paths] of invalid) await expectInvalid(await put(runId, { json }), paths);
  const { comment, reasons } = await expectJson(await get(runId), 200);
  assertEquals([comment.length, reasons], [2_000, ["tone"]]);
  await expectError(await put("nothing", { json: { rating: "up" } }), "not_found");
});

Deno.test("PUT …/feedback: only who may follow the run, and 404 to others, also after its frames are gone", async () => {
  await using on = await openConversations();
  const { service, key, agent, advance } = on;
  const { put, get, withdraw, rate } = calls(on);
  const { runId } = await on.chat("Hello");
  await rate(runId, { rating: "down", comment: "private" });
  const other = await service.agent(key, { allowedOrigins: [ORIGIN] });
  const elsewhere = await service.agent(key, { allowedOrigins: ["https://other.example"] });
  const theirs = await service.key(["agents:write"], crypto.randomUUID());
  const readOnly = await service.key(["conversations:read"]);
  const check = async () => {
    const foreign = await service.mint(key, other.id, ORIGIN);
    const away = await service.mint(key, elsewhere.id, "https://other.example");
    for (const call of [put, get, withdraw]) {
      const json = call === put ? { rating: "up" } : undefined;
      const with_ = (init: { key?: string; headers?: HeadersInit }) =>
        call(runId, { json, ...init });
      await expectError(await with_({ headers: bySession(foreign) }), "not_found");
      const farAway = bySession(away, "https://other.example");
      await expectError(await with_({ headers: farAway }), "not_found");
      await expectError(await with_({ key: theirs }), "not_found");
      await expectError(await with_({ key: readOnly }), "insufficient_scope");
      await expectError(await with_({ headers: {} }), "invalid_api_key");
      const stolen = bySession(on.sessionToken, "https://evil.example");
      await expectError(await with_({ headers: stolen }), "origin_not_allowed");
      await expectError(await call(crypto.randomUUID(), { json, key }), "not_found");
    }
    assertEquals((await expectJson(await get(runId), 200)).comment, "private");
  };
  await check();
  // The page's next session may rate the answer too.
  const next = await service.mint(key, agent.id, ORIGIN);
  assertEquals((await get(runId, { headers: bySession(next) })).status, 200);
  await advance(11 * 60_000);
  await check();
  const later = await service.mint(key, agent.id, ORIGIN);
  assertEquals((await get(runId, { headers: bySession(later) })).status, 200);
  await rate(runId, { rating: "up" });
  assertEquals((await put(runId, { json: { rating: "down" }, key })).status, 204);
});

Deno.test("PUT …/feedback: a run that has not ended is 409, and can be rated afterwards", async () => {
  await using service = await TestService.start({ runtime: { sleep: untilAborted } });
  const key = await service.key(["agents:write", "widget:mint"]);
  const agent = await service.agent(key, { allowedOrigins: [ORIGIN] });
  const sessionToken = await service.mint(key, agent.id, ORIGIN);
  const stream = await onPage(service, { agent, sessionToken });
  const runId = stream.headers.get("x-run-id")!;
  const { put, get, withdraw } = calls({ service, sessionToken });
  await expectError(await put(runId, { json: { rating: "up" } }), "run_not_ended");
  await expectError(await get(runId), "not_found");
  assertEquals((await withdraw(runId)).status, 204);
  const cancel = `/v1/chat/runs/${runId}/cancel`;
  await service.fetch(cancel, { method: "POST", headers: bySession(sessionToken) });
  await ended(stream);
  assertEquals((await put(runId, { json: { rating: "up" } })).status, 204);
});

Deno.test("PUT …/feedback: pages of any site may send it, as the preflight says", async () => {
  await using on = await openConversations();
  const { runId } = await on.chat("Hello");
  const preflight = await on.service.fetch(`/v1/chat/runs/${runId}/feedback`, {
    method: "OPTIONS",
    headers: { origin: ORIGIN, "access-control-request-method": "PUT" },
  });
  const allowed = preflight.headers.get("access-control-allow-methods")!.split(", ");
  assert(["PUT", "DELETE"].every((method) => allowed.includes(method)));
  const { put } = calls(on);
  const rated = await put(runId, { json: { rating: "up" } });
  assertEquals(rated.headers.get("access-control-allow-origin"), "*");
});

Deno.test("GET /v1/agents/:id/feedback: a changed rating moves, and counts on its answer's day", async () => {
  await using on = await openConversations();
  const { rate, withdraw } = calls(on);
  const first = await on.chat("1");
  const second = await on.chat("2");
  await rate(first.runId, { rating: "up" });
  await rate(first.runId, { rating: "up", comment: "again" });
  await rate(second.runId, { rating: "up" });
  assertEquals((await countsOf(on)).days, [{ day: "2026-01-15", up: 2, down: 0 }]);
  await on.advance(DAY_MS);
  const sessionToken = await on.service.mint(on.key, on.agent.id, ORIGIN);
  const third = await ended(await onPage(on.service, { agent: on.agent, sessionToken }));
  const later = calls({ service: on.service, sessionToken });
  await later.rate(third.runId, { rating: "down" });
  await rate(first.runId, { rating: "down" });
  assertEquals(await countsOf(on), {
    ...{ agentId: on.agent.id, up: 1, down: 2 },
    days: [{ day: "2026-01-15", up: 1, down: 1 }, { day: "2026-01-16", up: 0, down: 1 }],
  });
  assertEquals((await countsOf(on, "?from=2026-01-16&to=2026-01-16")).days.length, 1);
  await withdraw(first.runId);
  await withdraw(first.runId);
  assertEquals((await countsOf(on, "?to=2026-01-15")).days, [{
    day: "2026-01-15",
    up: 1,
    down: 0,
  }]);
  const invalid = await on.service.fetch(`/v1/agents/${on.agent.id}/feedback?from=x`, {
    key: on.key,
  });
  await expectInvalid(invalid, ["from"]);
});

for (const connection of [undefined, { turns: 20, ambiguous: 0.2, locked: 0.1 }]) {
  const how = connection === undefined ? "" : ", with commits of unknown outcome";
  Deno.test(`PUT …/feedback: counts are exact when two processes rate concurrently${how}`, async () => {
    const store = await openTestKv();
    const random = seeded(7);
    const { runtime } = instantRuntime();
    let isSetUp = false;
    const services = await Promise.all(Array.from({ length: 2 }, () => {
      const bad = { ...connection!, random: () => isSetUp ? random() : 0.999 };
      const kv = connection === undefined ? store : flakyKv(store, bad).kv;
      const limits = { ipRequests: 1e6, keyRequests: 1e6 };
      return TestService.start({ kv, keepKv: true, runtime, limits });
    }));
    try {
      const service = services[0]!;
      const key = await service.key(["agents:write", "conversations:read"]);
      const agent = await service.agent(key);
      const runs: { runId: string; id: string }[] = [];
      for (let n = 0; n < 4; n++) {
        const conversationId = runs[0]?.id;
        const body = { agentId: agent.id, ...conversationId && { conversationId } };
        runs.push(await ended(await byKey(service, { key, body })));
      }
      isSetUp = true;
      const ratings = ["up", "down", undefined] as const;
      const rate = async (n: number) => {
        const { runId } = runs[n % runs.length]!;
        const rating = ratings[Math.floor(random() * 3)];
        const method = rating === undefined ? "DELETE" : "PUT";
        const json = rating && { rating, ...(n % 3 === 0 && { comment: `${n}` }) };
        const init = { method, key, ...(json && { json }) };
        const response = await services[n % 2]!.fetch(`/v1/chat/runs/${runId}/feedback`, init);
        // A read that failed is not repeated by the service.
        assert([204, 503].includes(response.status), await response.text());
      };
      await Promise.all(Array.from({ length: 60 }, (_, n) => rate(n)));
      isSetUp = false;
      const path = `/v1/conversations/${runs[0]!.id}`;
      const stored: Transcript = await expectJson(await service.fetch(path, { key }), 200);
      const of = (rating: string) =>
        stored.runs.filter(({ feedback }) => feedback?.rating === rating).length;
      const { up, down } = await countsOf({ service, key, agent } as Fixture);
      assertEquals([up, down], [of("up"), of("down")]);
      const { tenant } = (await service.service.feedback.findEndedRun(
        service.service.demoAgent!.tenant,
        runs[0]!.runId,
      ))!;
      const name = { tenant, id: runs[0]!.id, agentId: agent.id, page: "" };
      const head = await store.get<{ rated?: { runId: string; rating: string }[] }>(
        keys.conversation(name),
      );
      const rated = stored.runs.flatMap(({ runId, feedback }) =>
        feedback === undefined ? [] : [`${runId} ${feedback.rating}`]
      );
      const noted = (head.value?.rated ?? []).map(({ runId, rating }) => `${runId} ${rating}`);
      assertEquals(noted.sort(), rated.sort());
    } finally {
      for (const service of services) await service[Symbol.asyncDispose]();
      store.close();
    }
  });
}

Deno.test("PUT …/feedback: goes with its conversation, and its counts stay", async () => {
  await using on = await openConversations();
  const { rate, put } = calls(on);
  const { runId, id } = await on.chat("Hello");
  await rate(runId, { rating: "down", comment: "gone soon" });
  const isLeft = async () =>
    (await storedKeys(on.kv)).some((key) =>
      key.startsWith("run_feedback") || key.includes("rated_")
    );
  assert(await isLeft());
  const path = `/v1/conversations/${id}`;
  const deleted = await on.service.fetch(path, { method: "DELETE", key: on.key });
  assertEquals(deleted.status, 204);
  assertFalse(await isLeft());
  await expectError(await put(runId, { json: { rating: "up" } }), "not_found");
  assertFalse(await isLeft());
  assertEquals((await countsOf(on)).down, 1);
});

Deno.test("PUT …/feedback: where conversations are not stored, it is kept with the run's record", async () => {
  await using on = await openConversations();
  const { tenants, demoAgent } = on.service.service;
  const plan = await tenants.plan(demoAgent!.tenant);
  await tenants.setPlan(demoAgent!.tenant, { ...plan, conversationDays: 0 });
  const { rate, get } = calls(on);
  const { runId } = await on.chat("Hello");
  await rate(runId, { rating: "up", comment: "kept" });
  assertEquals((await expectJson(await get(runId), 200)).comment, "kept");
  assertFalse((await storedKeys(on.kv)).some((key) => key.startsWith("conversations")));
  await on.advance(90 * DAY_MS - 1);
  assertEquals((await expectJson(await get(runId, { key: on.key }), 200)).comment, "kept");
  await on.advance(1);
  await expectError(await get(runId, { key: on.key }), "not_found");
});

Deno.test("PUT …/feedback: a longer conversation keeps its ratings through further messages", async () => {
  await using on = await openConversations();
  const { rate } = calls(on);
  const { runId, id } = await on.chat("1");
  await rate(runId, { rating: "up" });
  await on.advance(1_000);
  await on.chat("2", { conversationId: id, messages: [say("2")] });
  const tags = (await storedKeys(on.kv)).filter((key) => key.includes("rated_up"));
  assertEquals(tags.length, 1);
  const { data } = await on.service.service.inbox.list(
    on.service.service.demoAgent!.tenant,
    { rating: "up" },
    { limit: 10 },
  );
  assertEquals(data.map((row) => row.id), [id]);
});
