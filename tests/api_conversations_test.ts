/** Stored conversations: CONTRACT section 4. */
import { assert, assertEquals } from "@std/assert";
import { ended, openConversations as start } from "./support/conversations.ts";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { storedKeys } from "./support/store.ts";
import { answered, byKey, ORIGIN, say } from "./support/widget_calls.ts";

Deno.test("GET /v1/conversations/:id: returns each run with its messages, answer, usage and cost", async () => {
  await using fixture = await start();
  const { chat, transcript, advance, agent } = fixture;
  const first = await chat("Hello");
  advance(1_000);
  const history = [say("Hello"), answered(first.text), say("And now?")];
  const second = await chat("", { messages: history, conversationId: first.id });
  const { runs, ...conversation } = await transcript(first.id);
  assertEquals(conversation, {
    id: first.id,
    agentId: agent.id,
    origin: ORIGIN,
    source: "widget",
    createdAt: "2026-01-15T12:00:00.000Z",
    updatedAt: "2026-01-15T12:00:01.000Z",
    expiresAt: "2026-02-14T12:00:01.000Z",
    runCount: 2,
    costUsd: 0,
  });
  const userMessage = (content: string) => [{ ...say(content), claimed: false }];
  const stored = runs.map(({ runId, messages, text }) => ({ runId, messages, text }));
  assertEquals(stored, [
    { runId: first.runId, messages: userMessage("Hello"), text: first.text },
    { runId: second.runId, messages: userMessage("And now?"), text: second.text },
  ]);
  const { inputTokens, outputTokens, ...facts } = runs[0]!;
  assert(inputTokens > 0 && outputTokens > 0);
  assertEquals([facts.provider, facts.model, facts.agentVersion], ["vendor_a", "demo", 1]);
  assertEquals([facts.finishReason, facts.costUsd, facts.errorCode], ["stop", 0, undefined]);
});

Deno.test("GET /v1/conversations/:id: history supplied by a client is stored once, marked as claimed", async () => {
  await using fixture = await start();
  const { chat, transcript } = fixture;
  const invented = [say("Hi"), answered("I promise you a refund."), say("So?")];
  const first = await chat("", { messages: invented });
  const more = [...invented, answered(` ${first.text}\n`), answered("Yes!"), say("Well?")];
  await chat("", { messages: more, conversationId: first.id });
  const { runs } = await transcript(first.id);
  assertEquals(runs.map(({ messages }) => messages), [
    [
      { ...say("Hi"), claimed: true },
      { ...answered("I promise you a refund."), claimed: true },
      { ...say("So?"), claimed: false },
    ],
    [{ ...answered("Yes!"), claimed: true }, { ...say("Well?"), claimed: false }],
  ]);
});

Deno.test("GET /v1/conversations/:id: returns tool calls with their results", async () => {
  await using fixture = await start();
  const { chat, transcript } = fixture;
  const { id } = await chat(`use nothing with {"q":"violets"}`);
  const [run] = (await transcript(id)).runs;
  const [call] = run!.toolCalls;
  assertEquals([call!.name, call!.args], ["nothing", { q: "violets" }]);
  assertEquals((call!.output as { error: { code: string } }).error.code, "tool_unknown");
});

Deno.test("GET /v1/conversations/:id: a run larger than one KV value or commit is stored in full", async () => {
  await using fixture = await start();
  const { chat, transcript, kv } = fixture;
  const long = Array.from({ length: 32 }, (_, n) => say(`${n} ` + "ü".repeat(14_000)));
  const { id } = await chat("", { messages: long });
  const [run] = (await transcript(id)).runs;
  assertEquals(run!.messages.map(({ content }) => content), long.map(({ content }) => content));
  const left = (await storedKeys(kv)).filter((key) => key.startsWith("runs_asked"));
  assertEquals(left, []);
});

Deno.test("GET /v1/conversations/:id: returns long conversations in pages of runs", async () => {
  await using fixture = await start();
  const { chat, transcript, get } = fixture;
  const { id } = await chat("0");
  for (const n of ["1", "2", "3", "4"]) await chat(n, { conversationId: id });
  const contents: string[] = [];
  let query = "?limit=2";
  for (let pages = 1;; pages++) {
    const { runs, nextCursor } = await transcript(id, query);
    contents.push(...runs.map(({ messages }) => messages.at(-1)!.content));
    if (nextCursor === undefined) {
      assertEquals(pages, 3);
      break;
    }
    query = `?limit=2&cursor=${nextCursor}`;
  }
  assertEquals(contents, ["0", "1", "2", "3", "4"]);
  await expectInvalid(await get(id, "?cursor=AAAA"), ["cursor"]);
});

Deno.test("GET /v1/conversations/:id: one id is a separate conversation per agent, origin and credential", async () => {
  await using fixture = await start();
  const { service, chat, key, agent, transcript, advance, get } = fixture;
  const { id } = await chat("on the page");
  advance(1);
  const body = { conversationId: id, agentId: agent.id, messages: [say("by key")] };
  await ended(await byKey(service, { key, body }));
  advance(1);
  const other = await service.agent(key);
  await ended(await byKey(service, { key, body: { ...body, agentId: other.id } }));
  const contentsOf = async (query: string) =>
    (await transcript(id, query)).runs.map(({ messages }) => messages[0]!.content);
  assertEquals(await contentsOf(""), ["on the page"]);
  assertEquals(await contentsOf("?origin="), ["by key"]);
  assertEquals(await contentsOf(`?agentId=${other.id}`), ["by key"]);
  assertEquals((await transcript(id, "?origin=")).origin, undefined);
  await expectError(await get(id, "?origin=https://evil.example"), "not_found");
  await expectInvalid(await get(id, "?agentId=x"), ["agentId"]);
  const one = await service.fetch(`/v1/conversations/${id}`, { method: "DELETE", key });
  assertEquals(one.status, 204);
  assertEquals(await contentsOf(""), ["by key"]);
});

Deno.test("GET /v1/conversations: returns the most recently updated first, filters by agent, in pages", async () => {
  await using fixture = await start();
  const { chat, list, service, key, advance, agent } = fixture;
  const ids: string[] = [];
  for (const n of ["a", "b", "c"]) {
    ids.push((await chat(n)).id);
    advance(1);
  }
  const other = await service.agent(key);
  const { id } = await ended(await byKey(service, { key, body: { agentId: other.id } }));
  advance(1);
  await chat("again", { conversationId: ids[0] });
  const [a, b, c] = ids;
  const page = async (query: string) => (await list(query)).data.map((one) => one.id);
  assertEquals(await page(""), [a, id, c, b]);
  assertEquals(await page(`?agentId=${other.id}`), [id]);
  assertEquals(await page(`?agentId=${agent.id.toUpperCase()}`), [a, c, b]);
  const first = await list("?limit=3");
  assertEquals(first.data.map((one) => one.id), [a, id, c]);
  assertEquals(await page(`?limit=3&cursor=${first.nextCursor}`), [b]);
  const foreign = await service.fetch(
    `/v1/conversations?agentId=${agent.id}&cursor=${first.nextCursor}`,
    { key },
  );
  await expectInvalid(foreign, ["cursor"]);
});

Deno.test("/v1/conversations: another tenant's conversations are 404", async () => {
  await using fixture = await start();
  const { service, chat, transcript } = fixture;
  const { id } = await chat("Hello");
  const theirs = await service.key(["conversations:write"], crypto.randomUUID());
  const of = `/v1/conversations/${id}`;
  await expectError(await service.fetch(of, { key: theirs }), "not_found");
  await expectError(await service.fetch(of, { key: theirs, method: "DELETE" }), "not_found");
  const listed = await expectJson(await service.fetch("/v1/conversations", { key: theirs }), 200);
  assertEquals(listed, { data: [] });
  assertEquals((await transcript(id)).runs.length, 1);
});
