/** The dashboard's pages of unanswered questions without a browser: roles, filters, states. */
import { setImmediate } from "node:timers";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { readFrames } from "./support/frames.ts";
import { openKnowledge } from "./support/knowledge.ts";
import { byKey, say } from "./support/widget_calls.ts";

async function open() {
  const on = await openKnowledge({ env: { SETUP_TOKEN } });
  const { service } = on;
  const owner = await Dashboard.setUp(service);
  const agent = await service.agent(on.key, { knowledgeBaseId: on.base.id });
  const tenant = await service.tenant();
  /** The run's id. */
  const ask = async (content: string, agentId = agent.id) => {
    const body = { agentId, messages: [say(content)] };
    const [first] = await readFrames(await byKey(service, { key: on.key, body }));
    assert(first!.frame.type === "start");
    return first!.frame.runId;
  };
  const read = async (path: string, as = owner) => {
    const answer = await as.get(path);
    assertEquals(answer.status, 200, path);
    return await answer.text();
  };
  return {
    ...{ on, owner, tenant, ask, read },
    [Symbol.asyncDispose]: () => on[Symbol.asyncDispose](),
  };
}

const ANSWER = {
  action: "answer",
  title: "Parking",
  content: "Caravans may park behind the shop.",
};

Deno.test("GET /unanswered: the most frequent question is first, and an address has its filters", async () => {
  await using fixture = await open();
  const { ask, read } = fixture;
  await ask("Who founded the company?");
  await ask("Do you have parking for caravans?");
  await ask("Is there caravan parking?");
  const all = await read("/unanswered");
  assert(all.indexOf("caravan") < all.indexOf("founded"));
  const none = await read("/unanswered?reason=rated_down&state=all");
  assertMatch(none, /No questions match/);
  assertMatch(none, /<option value="rated_down" selected|<option selected value="rated_down"/);
  assertMatch(await read("/unanswered?reason=nothing_found&to=2001-01-01"), /No questions match/);
  assertMatch(await read("/unanswered?reason=nonsense"), /caravan/);
});

Deno.test("GET /unanswered/:runId: a viewer sees the questions, and no form", async () => {
  await using fixture = await open();
  const { on, owner, ask, read } = fixture;
  const runId = await ask("Do you have parking for caravans?");
  const viewer = await Dashboard.join(on.service, "viewer");
  const buttons = /value="(answer|ask|dismiss)"/;
  const path = `/unanswered/${runId}`;
  assertMatch(await read(path), buttons);
  const unwritten = await read(path, viewer);
  assertMatch(unwritten, /parking for caravans/);
  assert(!buttons.test(unwritten));
  const fields = { ...ANSWER, knowledgeBaseId: on.base.id };
  assertEquals((await viewer.post(path, fields)).status, 403);
  assertEquals((await owner.post(path, fields)).status, 303);
  await on.service.service.documents.whenIdle();
  assert(!buttons.test(await read(path, viewer)));
});

Deno.test("GET /unanswered/:runId: offers to write another answer if visitors ask again after one", async () => {
  await using fixture = await open();
  const { on, tenant, owner, ask, read } = fixture;
  const runId = await ask("Do you have parking for caravans?");
  const path = `/unanswered/${runId}`;
  await owner.post(path, { ...ANSWER, knowledgeBaseId: on.base.id });
  await on.service.service.documents.whenIdle();
  const untried = await read(path);
  assertMatch(untried, /Ask up to 5 of the questions again/);
  assert(!untried.includes("Write the answer"));
  await owner.post(path, { action: "ask" });
  const { unanswered } = on.service.service;
  while ((await unanswered.get({ tenant, runId })).asking) await new Promise(setImmediate);
  assertMatch(await read(path), /The answer helped/);
  await on.advance(1_000);
  const later = await ask("Do you have parking for caravans?");
  await on.service.fetch(`/v1/chat/runs/${later}/feedback`, {
    ...{ method: "PUT", key: on.key, json: { rating: "down" } },
  });
  const again = await read(path);
  assertMatch(again, /Visitors have asked this since/);
  assertMatch(again, /Write the answer/);
});

Deno.test("GET /unanswered/:runId: says that an agent without a knowledge base finds no answer", async () => {
  await using fixture = await open();
  const { on, ask, read } = fixture;
  const runId = await ask("Hello", (await on.service.agent(on.key)).id);
  await on.service.fetch(`/v1/chat/runs/${runId}/feedback`, {
    ...{ method: "PUT", key: on.key, json: { rating: "down" } },
  });
  assertMatch(await read(`/unanswered/${runId}`), /The agent has no knowledge base\./);
});
