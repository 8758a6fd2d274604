/** Questions without a good answer: recorded with their runs, grouped, answered and asked again. */
import { setImmediate } from "node:timers";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Agent } from "@/lib/schemas/agent.ts";
import type { Document } from "@/lib/schemas/knowledge.ts";
import type { UnansweredGroup, UnansweredReport } from "@/lib/schemas/unanswered.ts";
import { UnansweredStore } from "@/lib/store/unanswered/unanswered_store.ts";
import { contentCipher } from "./support/content.ts";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { readFrames } from "./support/frames.ts";
import { openKnowledge } from "./support/knowledge.ts";
import type { TestServiceOptions } from "./support/service.ts";
import { byKey, say } from "./support/widget_calls.ts";

const HANDBOOK = {
  title: "Handbook",
  mediaType: "text/markdown",
  content: "# Sales\n\nYou may return any book within thirty days of delivery.\n",
};
const ANSWER = {
  title: "Parking",
  content: "Caravans may park behind the shop. Parking a caravan costs five euros a night.",
};
const DAY = 86_400_000;

async function open(options: TestServiceOptions = {}) {
  const on = await openKnowledge(options);
  await on.settled(await on.post(HANDBOOK));
  const agent = await on.service.agent(on.key, { knowledgeBaseId: on.base.id });
  const key = await on.service.key(["conversations:write", "knowledge:write", "agents:write"]);
  /** The run's id and conversation. */
  const ask = async (content: string, of: Agent = agent) => {
    const body = { agentId: of.id, messages: [say(content)] };
    const [first] = await readFrames(await byKey(on.service, { key, body }));
    const { frame } = first!;
    assert(frame.type === "start");
    return frame;
  };
  const list = async (query = ""): Promise<UnansweredGroup[]> => {
    const answer = await on.service.fetch(`/v1/unanswered${query}`, { key });
    return (await expectJson(answer, 200)).data;
  };
  const get = async (runId: string): Promise<UnansweredReport> =>
    await expectJson(await on.service.fetch(`/v1/unanswered/${runId}`, { key }), 200);
  const act = (runId: string, action: string, json: unknown = {}) =>
    on.service.fetch(`/v1/unanswered/${runId}/${action}`, { method: "POST", key, json });
  const rate = (runId: string, rating: string) =>
    on.service.fetch(`/v1/chat/runs/${runId}/feedback`, { method: "PUT", key, json: { rating } });
  return {
    ...{ on, agent, key, ask, list, get, act, rate },
    [Symbol.asyncDispose]: () => on[Symbol.asyncDispose](),
  };
}

async function asked(get: (runId: string) => Promise<UnansweredReport>, runId: string) {
  for (;;) {
    const report = await get(runId);
    if (!report.asking) return report;
    await new Promise((wake) => setImmediate(wake));
  }
}

Deno.test("GET /v1/unanswered: groups questions that the knowledge base does not answer", async () => {
  await using fixture = await open();
  const { ask, list, get, agent } = fixture;
  await ask("Can I return a book?");
  await ask("Do you have parking for caravans?");
  await ask("Is there caravan parking?");
  const { runId } = await ask("Who founded the company?");
  const groups = await list();
  assertEquals(groups.map(({ count, state }) => [count, state]), [[2, "open"], [1, "open"]]);
  assertMatch(groups[0]!.question, /caravan/);
  assertEquals(groups[0]!.agentId, agent.id);
  assertEquals(groups[1]!.reasons, {
    ...{ nothing_found: 1, little_found: 0, rated_down: 0, handed_off: 0 },
  });
  const { questions } = await get(runId);
  assertEquals(questions.map(({ question, reasons }) => [question, reasons]), [
    ["Who founded the company?", ["nothing_found"]],
  ]);
});

Deno.test("GET /v1/unanswered: an answer that is rated down counts, until the rating is withdrawn", async () => {
  await using fixture = await open();
  const { on, key, ask, list, rate } = fixture;
  const { runId } = await ask("Can I return a book?");
  await rate(runId, "up");
  assertEquals(await list(), []);
  await rate(runId, "down");
  const [group] = await list("?reason=rated_down");
  assertEquals([group!.id, group!.question], [runId, "Can I return a book?"]);
  assertEquals(await list("?reason=nothing_found"), []);
  await on.service.fetch(`/v1/chat/runs/${runId}/feedback`, { method: "DELETE", key });
  assertEquals(await list(), []);
});

Deno.test("GET /v1/unanswered: filters by agent and day, and rejects other filters", async () => {
  await using fixture = await open();
  const { on, ask, list, agent, key } = fixture;
  await ask("Do you have parking for caravans?");
  const day = new Date(on.service.service.runtime.now()).toISOString().slice(0, 10);
  assertEquals((await list(`?agentId=${agent.id}&from=${day}&to=${day}`)).length, 1);
  assertEquals(await list("?to=2001-01-01"), []);
  assertEquals(await list(`?agentId=${crypto.randomUUID()}`), []);
  for (const query of ["reason=x", "state=x", "from=2026-02-30"]) {
    const answer = await on.service.fetch(`/v1/unanswered?${query}`, { key });
    await expectInvalid(answer, [query.split("=")[0]!]);
  }
});

Deno.test("unanswered: a dismissed group comes back with a new question", async () => {
  await using fixture = await open();
  const { on, ask, list, act } = fixture;
  const { runId } = await ask("Do you have parking for caravans?");
  assertEquals((await act(runId, "dismiss")).status, 204);
  assertEquals(await list(), []);
  assertEquals((await list("?state=dismissed")).length, 1);
  await on.advance(1_000);
  await ask("Is there caravan parking?");
  assertEquals((await list()).map(({ count, state }) => [count, state]), [[2, "open"]]);
});

Deno.test("unanswered: a written answer is a document, and asking again shows that it helps", async () => {
  await using fixture = await open();
  const { on, ask, get, act, list } = fixture;
  const { runId } = await ask("Do you have parking for caravans?");
  await ask("Is there caravan parking?");
  await expectError(await act(runId, "ask-again"), "not_found");
  const document: Document = await expectJson(await act(runId, "answer", ANSWER), 201);
  await on.service.service.documents.whenIdle();
  assertEquals((await list()).map(({ state, documentId }) => [state, documentId]), [
    ["written", document.id],
  ]);
  assertEquals((await act(runId, "ask-again")).status, 202);
  const report = await asked(get, runId);
  assertEquals(report.state, "answered");
  const again = report.questions.map((one) => one.again!);
  assertEquals(
    again.map(({ coverage, foundDocument, sources }) => [coverage, foundDocument, sources]),
    [
      ["enough", true, ["Parking"]],
      ["enough", true, ["Parking"]],
    ],
  );
  assertMatch(again[0]!.before, /found nothing|Handbook/);
  assertMatch(again[0]!.after, /five euros/);
  assertEquals(await list(), []);
});

Deno.test("UnansweredStore.list: of too many questions the latest are read", async () => {
  await using fixture = await open();
  const { on, ask } = fixture;
  for (const n of [1, 2, 3]) await ask(`Is there parking number ${n}?`);
  const deps = { content: contentCipher(), runtime: on.service.service.runtime, maxQuestions: 2 };
  const found = await new UnansweredStore(on.kv, deps).list(await on.service.tenant());
  const times = found.map(({ at }) => at);
  assertEquals([times.length, times], [2, times.toSorted((a, b) => b - a)]);
  const all = await Array.fromAsync(on.kv.list({ prefix: ["unanswered"] }));
  assertEquals(found.map(({ runId }) => runId), all.slice(1).map(({ key }) => key[2]).reverse());
});

Deno.test("unanswered: an answer that is about something else leaves the group as it is", async () => {
  await using fixture = await open();
  const { on, ask, get, act } = fixture;
  const { runId } = await ask("Do you have parking for caravans?");
  const other = { title: "Pets", content: "Dogs are welcome in the garden." };
  await expectJson(await act(runId, "answer", other), 201);
  await on.service.service.documents.whenIdle();
  await act(runId, "ask-again");
  const report = await asked(get, runId);
  assertEquals([report.state, report.questions[0]!.again!.foundDocument], ["written", false]);
});

Deno.test("unanswered: an answer needs a knowledge base, of the agent or named", async () => {
  await using fixture = await open();
  const { on, key, ask, act, rate } = fixture;
  const { runId } = await ask("Hello", await on.service.agent(key));
  await rate(runId, "down");
  await expectInvalid(await act(runId, "answer", ANSWER), ["knowledgeBaseId"]);
  const elsewhere = { ...ANSWER, knowledgeBaseId: crypto.randomUUID() };
  await expectError(await act(runId, "answer", elsewhere), "not_found");
  await expectJson(await act(runId, "answer", { ...ANSWER, knowledgeBaseId: on.base.id }), 201);
});

Deno.test("unanswered: nothing is left of a deleted conversation, and other tenants see nothing", async () => {
  await using fixture = await open();
  const { on, key, ask, list, act, get } = fixture;
  const { runId, conversationId } = await ask("Do you have parking for caravans?");
  await expectJson(await act(runId, "answer", ANSWER), 201);
  await on.service.service.documents.whenIdle();
  await act(runId, "ask-again");
  await asked(get, runId);
  const count = async () => {
    const prefixes = ["unanswered", "unanswered_marks", "asked_again"];
    const all = prefixes.map((prefix) => Array.fromAsync(on.kv.list({ prefix: [prefix] })));
    return (await Promise.all(all)).map(({ length }) => length);
  };
  assertEquals(await count(), [1, 1, 1]);
  const stored = await Array.fromAsync(on.kv.list({ prefix: ["unanswered"] }));
  assert(
    !new TextDecoder().decode((stored[0]!.value as { sealed: Uint8Array }).sealed).includes(
      "caravan",
    ),
  );
  await on.service.fetch(`/v1/conversations/${conversationId}`, { method: "DELETE", key });
  assertEquals(await count(), [0, 0, 0]);
  assertEquals(await list("?state=all"), []);
});

Deno.test("unanswered: questions expire with their conversations", async () => {
  await using fixture = await open();
  const { on, ask, list } = fixture;
  await ask("Do you have parking for caravans?");
  await on.advance(400 * DAY);
  assertEquals(await list(), []);
});
