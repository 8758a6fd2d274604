/** What was said, as the service keeps it: CONTRACT section 4, conversations. */
import { assert, assertEquals } from "@std/assert";
import { ended, openConversations as start } from "./support/conversations.ts";
import { expectInvalid, expectJson, expectRefusal } from "./support/expect_answer.ts";
import { storedKeys } from "./support/store.ts";
import { answered, byKey, ORIGIN, say } from "./support/widget_calls.ts";

Deno.test("GET /v1/conversations/:id: has each run with what was sent, said, used and paid", async () => {
  await using world = await start();
  const { chat, transcript, advance, agent } = world;
  const first = await chat("Hello");
  advance(1_000);
  const history = [say("Hello"), answered(first.text), say("And now?")];
  const second = await chat("", { messages: history, conversationId: first.id });
  const { runs, ...conversation } = await transcript(first.id);
  assertEquals(conversation, {
    id: first.id,
    agentId: agent.id,
    origin: ORIGIN,
    createdAt: "2026-01-15T12:00:00.000Z",
    updatedAt: "2026-01-15T12:00:01.000Z",
    expiresAt: "2026-02-14T12:00:01.000Z",
    runCount: 2,
    costUsd: 0,
  });
  const asked = (content: string) => [{ ...say(content), claimed: false }];
  const told = runs.map(({ runId, messages, text }) => ({ runId, messages, text }));
  assertEquals(told, [
    { runId: first.runId, messages: asked("Hello"), text: first.text },
    { runId: second.runId, messages: asked("And now?"), text: second.text },
  ]);
  const { inputTokens, outputTokens, ...facts } = runs[0]!;
  assert(inputTokens > 0 && outputTokens > 0);
  assertEquals([facts.provider, facts.model, facts.agentVersion], ["vendor_a", "demo", 1]);
  assertEquals([facts.finishReason, facts.costUsd, facts.errorCode], ["stop", 0, undefined]);
});

Deno.test("GET /v1/conversations/:id: what a client says was said before is stored once, as claimed", async () => {
  await using world = await start();
  const { chat, transcript } = world;
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

Deno.test("GET /v1/conversations/:id: has the calls of tools with their results", async () => {
  await using world = await start();
  const { chat, transcript } = world;
  const { id } = await chat(`use nothing with {"q":"violets"}`);
  const [run] = (await transcript(id)).runs;
  const [call] = run!.toolCalls;
  assertEquals([call!.name, call!.args], ["nothing", { q: "violets" }]);
  assertEquals((call!.output as { error: { code: string } }).error.code, "tool_unknown");
});

Deno.test("a run whose words no value and no commit can hold is stored whole", async () => {
  await using world = await start();
  const { chat, transcript, kv } = world;
  const long = Array.from({ length: 32 }, (_, n) => say(`${n} ` + "ü".repeat(14_000)));
  const { id } = await chat("", { messages: long });
  const [run] = (await transcript(id)).runs;
  assertEquals(run!.messages.map(({ content }) => content), long.map(({ content }) => content));
  const left = (await storedKeys(kv)).filter((key) => key.startsWith("runs_asked"));
  assertEquals(left, []);
});

Deno.test("GET /v1/conversations/:id: answers long conversations a page of runs at a time", async () => {
  await using world = await start();
  const { chat, transcript, get } = world;
  const { id } = await chat("0");
  for (const n of ["1", "2", "3", "4"]) await chat(n, { conversationId: id });
  const said: string[] = [];
  let query = "?limit=2";
  for (let pages = 1;; pages++) {
    const { runs, nextCursor } = await transcript(id, query);
    said.push(...runs.map(({ messages }) => messages.at(-1)!.content));
    if (nextCursor === undefined) {
      assertEquals(pages, 3);
      break;
    }
    query = `?limit=2&cursor=${nextCursor}`;
  }
  assertEquals(said, ["0", "1", "2", "3", "4"]);
  await expectInvalid(await get(id, "?cursor=AAAA"), ["cursor"]);
});

Deno.test("a conversation's id is another conversation for another agent, page or credential", async () => {
  await using world = await start();
  const { service, chat, key, agent, transcript, advance, get } = world;
  const { id } = await chat("on the page");
  advance(1);
  const body = { conversationId: id, agentId: agent.id, messages: [say("by key")] };
  await ended(await byKey(service, { key, body }));
  advance(1);
  const other = await service.agent(key);
  await ended(await byKey(service, { key, body: { ...body, agentId: other.id } }));
  const asked = async (query: string) =>
    (await transcript(id, query)).runs.map(({ messages }) => messages[0]!.content);
  assertEquals(await asked(""), ["on the page"]);
  assertEquals(await asked("?origin="), ["by key"]);
  assertEquals(await asked(`?agentId=${other.id}`), ["by key"]);
  assertEquals((await transcript(id, "?origin=")).origin, undefined);
  await expectRefusal(await get(id, "?origin=https://evil.example"), "not_found");
  await expectInvalid(await get(id, "?agentId=x"), ["agentId"]);
  const one = await service.fetch(`/v1/conversations/${id}`, { method: "DELETE", key });
  assertEquals(one.status, 204);
  assertEquals(await asked(""), ["by key"]);
});

Deno.test("GET /v1/conversations: those last added to first, of one agent too, page by page", async () => {
  await using world = await start();
  const { chat, list, service, key, advance, agent } = world;
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

Deno.test("/v1/conversations: another tenant has none of it", async () => {
  await using world = await start();
  const { service, chat, transcript } = world;
  const { id } = await chat("Hello");
  const theirs = await service.key(["conversations:write"], crypto.randomUUID());
  const of = `/v1/conversations/${id}`;
  await expectRefusal(await service.fetch(of, { key: theirs }), "not_found");
  await expectRefusal(await service.fetch(of, { key: theirs, method: "DELETE" }), "not_found");
  const listed = await expectJson(await service.fetch("/v1/conversations", { key: theirs }), 200);
  assertEquals(listed, { data: [] });
  assertEquals((await transcript(id)).runs.length, 1);
});
