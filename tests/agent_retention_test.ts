/** How long an agent stores what its conversations leave, and agents that keep nothing. */
import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import type { ModelRegistry } from "@/lib/providers/model_registry.ts";
import { ModelError } from "@/lib/providers/model.ts";
import type { ValidationIssue } from "@/lib/schemas/error_codes.ts";
import { upload } from "./support/attachments.ts";
import { ended } from "./support/conversations.ts";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { expiringKv } from "./support/expiring_kv.ts";
import { HANDOFF } from "./support/handoffs.ts";
import { hangingKv } from "./support/hanging_kv.ts";
import { makePng } from "./support/make_image.ts";
import { openTestKv } from "./support/open_kv.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { SETUP_TOKEN, visitors } from "./support/dashboard.ts";
import { TestService } from "./support/service.ts";
import { SseText } from "./support/sse_text.ts";
import { storedText } from "./support/store.ts";
import { sweepOrphaned } from "./support/sweep_orphaned.ts";
import { onPage, ORIGIN, say } from "./support/widget_calls.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const WORD = "xylophone";
/** What lists, transcripts, the search, feedback, hand-offs and logs are stored under. */
const CONTENT = new RegExp(
  [
    ...["conversation", "search_recent", "search_segment", "search_bucket", "search_place"],
    ...["failed_runs", "handoff", "attachment", "runs_asked", "run_heads", "run_chunks"],
    ...["live_runs", "run_feedback"],
  ].join("|"),
);

/** A service whose entries expire by the test's clock. */
async function start() {
  const kv = await openTestKv();
  const time = pausableRuntime();
  time.release();
  const store = expiringKv(kv, time.runtime.now);
  const service = await TestService.start({
    ...{ kv: store.kv, keepKv: true, runtime: time.runtime, env: { SETUP_TOKEN } },
  });
  const key = await service.key([
    ...["agents:write", "widget:mint", "conversations:write", "knowledge:write"] as const,
    "billing:read",
  ]);
  const tenant = await service.tenant();
  const patch = (id: string, json: unknown) =>
    service.fetch(`/v1/agents/${id}`, { method: "PATCH", key, json });
  const setPlanDays = (conversationDays: number) =>
    service.service.tenants.changePlan(tenant, (plan) => ({ ...plan, conversationDays }));
  const mint = async (agent: { id: string }, visitor?: string) => {
    const json = { agentId: agent.id, ...visitor && { visitor: { id: visitor } } };
    const headers = { origin: ORIGIN };
    const minted = await service.fetch("/v1/widget/session", {
      ...{ method: "POST", key, json, headers },
    });
    return (await expectJson(minted, 201)).sessionToken as string;
  };
  const advance = async (ms: number) => {
    time.advance(ms);
    await service.service.attachmentSweeper.sweep();
    await store.expire();
  };
  return {
    ...{ service, key, tenant, time, patch, setPlanDays, mint, advance, store },
    /** The rows of the store with a word, decrypted. */
    rowsWith: async (word: string) =>
      (await storedText(kv)).split("\n").filter((row) => row.includes(word)),
    keysOf: async (pattern: RegExp) => {
      const found: string[] = [];
      for await (const { key } of kv.list({ prefix: [] })) {
        if (pattern.test(String(key[0]))) found.push(key.join("/"));
      }
      return found;
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      kv.close();
    },
  };
}

type Setup = Awaited<ReturnType<typeof start>>;

/** While `broken`, every model fails before its first word. */
function breakModels({ service }: Pick<Setup, "service">): { broken: boolean } {
  const registry = service.service.providers as ModelRegistry;
  const find = registry.find.bind(registry);
  const state = { broken: false };
  const failing = {
    stream: () => Promise.reject(new ModelError("provider_error", `no ${WORD}`)),
  };
  registry.find = (...of) => state.broken ? failing : find(...of);
  return state;
}

Deno.test("retentionDays: whole days from 0 to the plan's, checked when the agent is saved", async (t) => {
  await using on = await start();
  const { service, key, patch, setPlanDays } = on;
  const agent = await service.agent(key, { retentionDays: 7 });
  assertEquals(agent.retentionDays, 7);

  await t.step("others are a 400 with the path", async () => {
    for (const retentionDays of [-1, 0.5, 31, 366, "7"]) {
      await expectInvalid(await patch(agent.id, { retentionDays }), ["retentionDays"]);
    }
    assertEquals(
      (await expectJson(await patch(agent.id, { retentionDays: 30 }), 200)).retentionDays,
      30,
    );
  });

  await t.step(
    "a lowered plan blocks no other change, and no longer allows the value",
    async () => {
      await setPlanDays(3);
      const renamed = await expectJson(await patch(agent.id, { name: "Renamed" }), 200);
      assertEquals([renamed.name, renamed.retentionDays], ["Renamed", 30]);
      await expectInvalid(await patch(agent.id, { retentionDays: 4 }), ["retentionDays"]);
    },
  );

  await t.step("null unsets it", async () => {
    const unset = await expectJson(await patch(agent.id, { retentionDays: null }), 200);
    assertFalse("retentionDays" in unset);
  });
});

Deno.test("retentionDays: everything that a conversation leaves is gone after the agent's days", async (t) => {
  await using on = await start();
  const { service, key, advance, mint, keysOf, setPlanDays } = on;
  const change = {
    ...{ allowedOrigins: [ORIGIN], attachments: { images: true }, retentionDays: 2 },
    handoff: HANDOFF,
  };
  const agent = await service.agent(key, change);
  const models = breakModels(on);
  const sessionToken = await mint(agent, "ada");
  const ask = async (content: string, body: Record<string, unknown> = {}) =>
    await ended(
      await onPage(service, {
        ...{ agent, sessionToken },
        body: { messages: [say(content)], ...body },
      }),
    );
  const conversation = await ask(`${WORD} ${"long ".repeat(4_000)}`);
  const { id } = await upload(service, { sessionToken }, { bytes: makePng() });
  const conversationId = conversation.id;
  await ask("Look", { conversationId, messages: [{ ...say("Look"), attachments: [id] }] });
  const headers = { "x-service-session": sessionToken, origin: ORIGIN };
  const rated = await service.fetch(`/v1/chat/runs/${conversation.runId}/feedback`, {
    ...{ method: "PUT", headers, json: { rating: "down", comment: WORD } },
  });
  assertEquals(rated.status, 204);
  models.broken = true;
  const failing = { agent, sessionToken, body: { messages: [say(WORD)], conversationId } };
  await expectError(await onPage(service, failing), "provider_error");
  const asked = await service.fetch(`/v1/chat/conversations/${conversationId}/handoff`, {
    ...{ method: "POST", headers },
  });
  assertEquals((await expectJson(asked, 200)).state, "waiting");
  await service.service.searchIndexer.indexAll();

  await t.step("all of it is there before", async () => {
    await advance(2 * DAY_MS - 1);
    const kinds = new Set((await keysOf(CONTENT)).map((row) => row.split("/")[0]));
    for (
      const kind of [
        ...["conversations", "conversation_runs", "conversation_parts", "run_feedback"],
        ...["conversations_by_visitor", "failed_runs", "handoffs", "handoff_entries"],
        ...["attachments", "attachment_uses", "search_recent"],
      ]
    ) assert(kinds.has(kind), kind);
    const found = await service.fetch(`/v1/conversations/${conversationId}`, { key });
    const { createdAt, expiresAt } = await expectJson(found, 200);
    assertEquals(Date.parse(expiresAt) - Date.parse(createdAt), 2 * DAY_MS);
  });

  await t.step("and nothing after", async () => {
    await advance(1);
    await expectError(
      await service.fetch(`/v1/conversations/${conversationId}`, { key }),
      "not_found",
    );
    await service.service.searchIndexer.indexAll();
    // The sweep looks at attachments a little later: their use is counted from the longest run.
    await advance(agent.budget.wallClockMs);
    assertEquals(await keysOf(CONTENT), []);
    assertEquals(await keysOf(/^runs$/), []);
  });

  await t.step("the plan's days apply if they are fewer when a message is sent", async () => {
    models.broken = false;
    await setPlanDays(1);
    const token = await mint(agent, "ada");
    const { id } = await ended(await onPage(service, { agent, sessionToken: token }));
    const found = await service.fetch(`/v1/conversations/${id}`, { key });
    const { createdAt, expiresAt } = await expectJson(found, 200);
    assertEquals(Date.parse(expiresAt) - Date.parse(createdAt), DAY_MS);
  });
});

Deno.test("retentionDays: shortened, earlier messages stay for their time, can be read, and can be deleted", async () => {
  for (const isDeleted of [false, true]) {
    await using on = await start();
    const { service, key, patch, mint, advance, keysOf } = on;
    const agent = await service.agent(key, { allowedOrigins: [ORIGIN], retentionDays: 5 });
    const first = await ended(
      await onPage(service, { agent, sessionToken: await mint(agent, "ada") }),
    );
    await expectJson(await patch(agent.id, { retentionDays: 1 }), 200);
    const body = { conversationId: first.id, messages: [say("Later")] };
    await ended(await onPage(service, { agent, sessionToken: await mint(agent, "ada"), body }));
    await advance(DAY_MS);
    const path = `/v1/conversations/${first.id}`;
    const { runs } = await expectJson(await service.fetch(path, { key }), 200);
    assertEquals(runs.map(({ runId }: { runId: string }) => runId), [first.runId]);
    if (isDeleted) {
      const erased = await service.fetch("/v1/visitors/ada", { method: "DELETE", key });
      assertEquals((await expectJson(erased, 202)).state, "done");
    } else await advance(4 * DAY_MS);
    assertEquals(await keysOf(CONTENT), []);
  }
});

Deno.test("retentionDays 0: once the logs of its runs have expired, no word of what was said is stored", async (t) => {
  await using on = await start();
  const { service, key, time, store, advance, mint, rowsWith, keysOf } = on;
  const base = await expectJson(
    await service.fetch("/v1/knowledge-bases", { method: "POST", key, json: { name: "Shop" } }),
    201,
  );
  const agent = await service.agent(key, {
    ...{ allowedOrigins: [ORIGIN], retentionDays: 0, knowledgeBaseId: base.id },
    attachments: { images: true, documents: true },
    allowedDomains: ["127.0.0.1"],
    tools: [{
      ...{ type: "http", name: "look_up", description: "Looks up." },
      parameters: { type: "object", properties: { what: { type: "string" } } },
      request: { method: "GET", url: "https://127.0.0.1/things", query: { q: "{{what}}" } },
    }],
  });
  const models = breakModels(on);
  const sessionToken = await mint(agent, "ada");
  const send = (content: string, body: Record<string, unknown> = {}, token = sessionToken) =>
    onPage(service, {
      ...{ agent, sessionToken: token },
      body: { messages: [say(content)], ...body },
    });
  const headers = { "x-service-session": sessionToken, origin: ORIGIN };
  const runs: string[] = [];
  const ids: string[] = [];
  const note = ({ runId, id }: { runId: string; id: string }) => {
    runs.push(runId);
    ids.push(id);
  };

  await t.step("runs with searches, tools, files, long texts, and without a name", async () => {
    note(await ended(await send(`Where is my ${WORD}?`)));
    note(await ended(await send(`use look_up with {"what": "${WORD}"}`)));
    note(await ended(await send(`${WORD} ${"long ".repeat(6_000)}`)));
    note(await ended(await send(`${WORD} again`, { conversationId: ids[0] })));
    note(await ended(await send(WORD, {}, await mint(agent))));
    const text = { bytes: `About a ${WORD}.`, name: `${WORD}.txt`, type: "text/plain" };
    const files = [
      await upload(service, { sessionToken }, { bytes: makePng(), name: `${WORD}.png` }),
      await upload(service, { sessionToken }, text),
    ];
    const message = { ...say(`${WORD} files`), attachments: files.map(({ id }) => id) };
    note(await ended(await send("", { messages: [message] })));
  });

  await t.step("a rating counts, without what was written with it", async () => {
    const path = `/v1/chat/runs/${runs[0]}/feedback`;
    const json = { rating: "down", comment: WORD, reasons: [WORD] };
    const rated = await service.fetch(path, { method: "PUT", headers, json });
    assertEquals(rated.status, 204);
    const { ratedAt: _at, ...stored } = await expectJson(
      await service.fetch(path, { headers }),
      200,
    );
    assertEquals(stored, { rating: "down" });
    const counts = await service.fetch(`/v1/agents/${agent.id}/feedback`, { key });
    assertEquals((await expectJson(counts, 200)).down, 1);
  });

  await t.step("a cancelled run, a failed one, and one whose process died", async () => {
    time.hold();
    const cancelled = new SseText(await send(`${WORD} cancelled`));
    await cancelled.until("event: delta");
    const { runId, conversationId } = cancelled.frame("start");
    await service.fetch(`/v1/chat/runs/${runId}/cancel`, { method: "POST", headers });
    await cancelled.until("event: done");
    note({ runId, id: conversationId });
    models.broken = true;
    await expectError(await send(`${WORD} failed`), "provider_error");
    models.broken = false;
    const hanging = hangingKv(store.kv);
    await using lost = await TestService.start({
      ...{ kv: hanging.kv, keepKv: true, runtime: time.runtime },
    });
    const crashed = new SseText(
      await onPage(lost, {
        ...{ agent, sessionToken },
        body: { messages: [say(`${WORD} crashed ${"long ".repeat(2_000)}`)] },
      }),
    );
    await crashed.until("event: delta");
    const start = crashed.frame("start");
    note({ runId: start.runId, id: start.conversationId });
    hanging.hang();
    await sweepOrphaned(service.service.orphanedRuns, (ms) => time.advance(ms));
    hanging.goOn();
    await lost.service.chat.stopAll();
    time.release();
  });

  await t.step("only logs have words, and only while they can be resumed", async () => {
    const kinds = new Set((await rowsWith(WORD)).map((row) => JSON.parse(row)[0][0]));
    assert(kinds.has("run_chunks"));
    assertEquals([...kinds].filter((kind) => !["run_chunks", "run_heads"].includes(kind)), []);
    const records = (await rowsWith('[["runs"')).map((row) => JSON.parse(row)[1][0]);
    assertEquals(records.length, runs.length + 1);
    assertEquals(records.filter((record) => "sealed" in record), []);
    const again = await service.fetch(`/v1/chat/runs/${runs[0]}/stream?after=0`, { headers });
    assertStringIncludes(await again.text(), WORD);
  });

  await t.step("no conversation is found by anyone", async () => {
    for (const id of ids) {
      assertEquals(id.length, 36);
      await expectError(await service.fetch(`/v1/conversations/${id}`, { key }), "not_found");
      const own = await service.fetch(`/v1/chat/conversations/${id}`, { headers });
      await expectError(own, "not_found");
    }
    assertEquals(await (await service.fetch("/v1/conversations", { key })).json(), { data: [] });
  });

  await t.step("later nothing is left but ratings and what runs have cost", async () => {
    await service.service.searchIndexer.indexAll();
    await advance(14 * MINUTE_MS);
    const stream = await service.fetch(`/v1/chat/runs/${runs[0]}/stream`, { key });
    await expectError(stream, "stream_expired");
    assertEquals(await rowsWith(WORD), []);
    const left = (await keysOf(CONTENT)).map((row) => row.split("/")[0]);
    assertEquals([...new Set(left)].filter((kind) => !kind!.startsWith("attachment")), [
      "run_feedback",
    ]);
    await advance(60 * MINUTE_MS);
    assertEquals((await keysOf(CONTENT)).map((row) => row.split("/")[0]), ["run_feedback"]);
    const usage = await expectJson(await service.fetch("/v1/usage", { key }), 200);
    assertEquals([usage.runs, usage.activeStreams], [runs.length + 1, 0]);
    await advance(DAY_MS);
    assertEquals([await keysOf(CONTENT), await keysOf(/^runs$/)], [[], []]);
    const counts = await service.fetch(`/v1/agents/${agent.id}/feedback`, { key });
    assertEquals((await expectJson(counts, 200)).down, 1);
  });
});

Deno.test("retentionDays 0: a message repeated under its Idempotency-Key does not run twice", async () => {
  await using on = await start();
  const { service, key, advance } = on;
  const agent = await service.agent(key, { retentionDays: 0 });
  const send = () =>
    service.fetch("/v1/chat/stream", {
      ...{ method: "POST", key, headers: { "idempotency-key": "once" } },
      json: { agentId: agent.id, messages: [say(WORD)] },
    });
  await ended(await send());
  await advance(DAY_MS - 1);
  await expectError(await send(), "stream_expired");
});

Deno.test("retentionDays 0 and an enabled hand-off exclude each other; an open one is given back", async (t) => {
  await using on = await start();
  const { service, key, patch, mint } = on;
  const agent = await service.agent(key, { allowedOrigins: [ORIGIN], handoff: HANDOFF });
  const issueOf = async (answer: Response): Promise<ValidationIssue> =>
    (await expectError(answer, "schema_validation_failed")).details!.issues as never;
  const sessionToken = await mint(agent);
  const ask = (body: Record<string, unknown>) => onPage(service, { agent, sessionToken, body });
  const { id } = await ended(await ask({}));
  const headers = { "x-service-session": sessionToken, origin: ORIGIN };
  const path = `/v1/chat/conversations/${id}/handoff`;
  await expectJson(await service.fetch(path, { method: "POST", headers }), 200);

  await t.step("both together are a 400", async () => {
    const [issue] = await issueOf(await patch(agent.id, { retentionDays: 0 })) as never as [
      ValidationIssue,
    ];
    assertEquals([issue.path, issue.code], ["handoff.enabled", "agent_keeps_nothing"]);
  });

  await t.step("switched off, the conversation is the agent's again", async () => {
    const handoff = { ...HANDOFF, enabled: false };
    await expectJson(await patch(agent.id, { retentionDays: 0, handoff }), 200);
    const { text } = await ended(await ask({ conversationId: id, messages: [say(WORD)] }));
    assertStringIncludes(text, "demo model");
    const status = await expectJson(await service.fetch(path, { headers }), 200);
    assertEquals([status.state, status.cause, status.offered], ["returned", "switched_off", false]);
  });
});

Deno.test("dashboard: the Model page sets retentionDays, and the inbox says why it is empty", async (t) => {
  await using on = await start();
  const { service, key, tenant } = on;
  const owner = (await visitors(service)).get("owner")!;
  const agent = await service.agent(key);
  const path = `/agents/${agent.id}/model`;
  const form = { version: "1", retentionDays: "0" };

  await t.step("a number of days, or blank for the plan's", async () => {
    assertStringIncludes(await (await owner.get(path)).text(), "the days of your plan: 30");
    assertEquals((await owner.post(path, form)).status, 303);
    assertEquals((await service.service.agents.get(tenant, agent.id)).retentionDays, 0);
    const rejected = await owner.post(path, { version: "2", retentionDays: "31" });
    assertEquals(rejected.status, 400);
    assertStringIncludes(await rejected.text(), "from 0 to the days of your plan");
    assertEquals((await owner.post(path, { version: "2", retentionDays: "" })).status, 303);
    assertEquals((await service.service.agents.get(tenant, agent.id)).retentionDays, undefined);
    assertEquals((await owner.post(path, { ...form, version: "3" })).status, 303);
  });

  await t.step("the hand-off page says that the agent keeps nothing", async () => {
    const handoff = { version: "4", enabled: "on", by: "visitor", message: "Soon." };
    const rejected = await owner.post(`/agents/${agent.id}/handoff`, handoff);
    assertEquals(rejected.status, 400);
    assertStringIncludes(await rejected.text(), "This agent keeps no conversations");
  });

  await t.step("an empty inbox of the agent names the reason", async () => {
    const html = await (await owner.get(`/conversations?agentId=${agent.id}`)).text();
    assertStringIncludes(html, "This agent keeps no conversations");
    assertStringIncludes(html, path);
    const other = await service.agent(key);
    const plain = await (await owner.get(`/conversations?agentId=${other.id}`)).text();
    assertFalse(plain.includes("This agent keeps no conversations"));
  });
});
