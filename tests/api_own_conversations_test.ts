/** Conversations of a session's visitor, for the visitor: list, read, name, delete, continue. */
import { assert, assertEquals, assertFalse } from "@std/assert";
import type { OwnConversation, OwnTranscript } from "@/lib/schemas/own_conversation.ts";
import { upload } from "./support/attachments.ts";
import { ended } from "./support/conversations.ts";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { readFrames } from "./support/frames.ts";
import { httpTool } from "./support/agents.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { openKnowledge } from "./support/knowledge.ts";
import { openTestKv } from "./support/open_kv.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { TestService, type TestServiceOptions } from "./support/service.ts";
import { SseText } from "./support/sse_text.ts";
import { storedText } from "./support/store.ts";
import { chat, ORIGIN, say } from "./support/widget_calls.ts";

const APP = "https://app.example.com";
const PATH = "/v1/chat/conversations";

type Listed = { data: OwnConversation[]; nextCursor?: string };

/** One session of a page. */
interface Page {
  token: string;
  origin: string;
  agent: { id: string };
  on: TestService;
}

/** Two agents on two sites, on a store that other services can open too. */
async function start(options: TestServiceOptions = {}) {
  const kv = await openTestKv();
  const time = instantRuntime();
  const service = await TestService.start({ ...time, kv, keepKv: true, ...options });
  const key = await service.key(["agents:write", "widget:mint", "conversations:write"]);
  const allowedOrigins = [ORIGIN, APP];
  const agents = [
    await service.agent(key, { allowedOrigins }),
    await service.agent(key, { allowedOrigins }),
  ] as const;
  const open = async (
    id?: string,
    { origin = ORIGIN, agent = agents[0], on = service, key: minter = key }:
      & Partial<Omit<Page, "token">>
      & { key?: string } = {},
  ): Promise<Page> => {
    const json = { agentId: agent.id, ...id !== undefined && { visitor: { id } } };
    const minted = await service.fetch("/v1/widget/session", {
      ...{ method: "POST", key: minter, json, headers: { origin } },
    });
    return { token: (await expectJson(minted, 201)).sessionToken, origin, agent, on };
  };
  const dispose = async () => {
    await service[Symbol.asyncDispose]();
    kv.close();
  };
  return { ...time, kv, service, key, agents, open, [Symbol.asyncDispose]: dispose };
}

function call(
  { token, origin, on }: Page,
  path = "",
  { method = "GET", json }: { method?: string; json?: unknown } = {},
): Promise<Response> {
  const headers = { "x-service-session": token, origin };
  return on.fetch(PATH + path, { method, headers, ...json !== undefined && { json } });
}

function send(page: Page, messages: unknown[], conversationId?: string): Promise<Response> {
  const body = { messages, ...conversationId !== undefined && { conversationId } };
  const { token: sessionToken, origin, agent, on } = page;
  return chat(on, agent, { sessionToken, body, headers: { origin } });
}

const ask = async (page: Page, text: string, conversationId?: string) =>
  await ended(await send(page, [say(text)], conversationId));

async function list(page: Page, query = ""): Promise<Listed> {
  return await expectJson(await call(page, query), 200);
}

async function read(page: Page, id: string, query = ""): Promise<OwnTranscript> {
  return await expectJson(await call(page, `/${id}${query}`), 200);
}

Deno.test("GET /v1/chat/conversations: lists the visitor's, with titles and numbers, page by page", async (t) => {
  await using setup = await start();
  const { open, agents, advance, kv } = setup;
  const ada = await open("ada");
  const long = "Where  is\nmy parcel " + "with the long number ".repeat(4);
  const ids: string[] = [];
  for (const text of ["First", long, "x".repeat(200)]) {
    ids.unshift((await ask(ada, text)).id);
    advance(1_000);
  }
  await ask(await open("bob"), "Bob's");
  await ask(await open("ada", { agent: agents[1] }), "To another agent");
  await ask(await open(), "Nobody's");

  await t.step("the latest first", async () => {
    const { data, nextCursor } = await list(ada);
    assertEquals([data.map(({ id }) => id), nextCursor], [ids, undefined]);
    assertEquals(data.map(({ title }) => title), [
      "x".repeat(80),
      "Where is my parcel with the long number with the long number with the long",
      "First",
    ]);
    assertEquals(data.map(({ messageCount }) => messageCount), [2, 2, 2]);
    assertEquals(Object.keys(data[0]!).sort(), [
      ...["createdAt", "id", "messageCount", "title", "updatedAt"],
    ]);
  });

  await t.step("one page at a time, without an empty last one", async () => {
    const first = await list(ada, "?limit=2");
    const rest = await list(ada, `?limit=2&cursor=${first.nextCursor}`);
    const found = [...first.data, ...rest.data].map(({ id }) => id);
    assertEquals([found, rest.nextCursor], [ids, undefined]);
    const bob = await open("bob");
    await expectInvalid(await call(bob, `?cursor=${first.nextCursor}`), ["cursor"]);
    await expectInvalid(await call(ada, "?limit=0"), ["limit"]);
  });

  await t.step("a continued one moves up, keeps its title and counts", async () => {
    await ask(ada, "And again", ids[2]);
    const { data } = await list(ada);
    assertEquals(data[0]!.id, ids[2]);
    assertEquals([data[0]!.title, data[0]!.messageCount], ["First", 4]);
    assert(data[0]!.updatedAt > data[0]!.createdAt);
  });

  await t.step("titles are encrypted in the store", async () => {
    const stored = await storedText(kv, { content: undefined });
    for (const secret of ["First", "Where is", "And again"]) assertFalse(stored.includes(secret));
  });
});

Deno.test("GET /v1/chat/conversations/:id: what the visitor saw, without internals", async (t) => {
  await using setup = await start();
  const { open, service, key } = setup;
  const agent = await service.agent(key, {
    allowedOrigins: [ORIGIN],
    allowedDomains: ["tools.example.com"],
    tools: [httpTool({}, {})],
  });
  const ada = await open("ada", { agent });
  const earlier = [say("Before"), { role: "assistant", content: "I said" }];
  const first = await ended(await send(ada, [...earlier, say("Hello")]));
  const second = await ask(ada, `use lookup with {"q":"hidden argument"}`, first.id);

  await t.step("the messages in order", async () => {
    const { messages, title, messageCount, ...rest } = await read(ada, first.id);
    assertEquals(
      messages.map(({ role, content, claimed, runId }) => [role, content, claimed, runId]),
      [
        ["user", "Before", true, first.runId],
        ["assistant", "I said", true, first.runId],
        ["user", "Hello", undefined, first.runId],
        ["assistant", first.text, undefined, first.runId],
        ["user", `use lookup with {"q":"hidden argument"}`, undefined, second.runId],
        ["assistant", second.text, undefined, second.runId],
      ],
    );
    assertEquals([title, messageCount, messages.at(-1)!.finishReason], ["Before", 4, "stop"]);
    const text = JSON.stringify({ messages: messages.filter(({ role }) => role !== "user"), rest });
    for (const internal of ["lookup", "args", "cost", "Usd", "model", "provider", "Tokens"]) {
      assertFalse(text.includes(`"${internal}`), internal);
    }
  });

  await t.step("a page of runs at a time", async () => {
    const one = await read(ada, first.id, "?limit=1");
    assertEquals([one.messages.length, one.messages[3]!.content], [4, first.text]);
    const two = await read(ada, first.id, `?limit=1&cursor=${one.nextCursor}`);
    assertEquals([two.messages.length, two.nextCursor], [2, undefined]);
  });
});

Deno.test("GET /v1/chat/conversations/:id: names the documents of an answer once, those that it draws on first", async () => {
  await using fixture = await openKnowledge();
  const { service, key, base } = fixture;
  const text = "You may return any book within thirty days.";
  const address = "https://shop.example.com/deliveries";
  for (
    const [title, content] of [["Handbook", text], [address, "A parcel has one book or more."]]
  ) {
    await fixture.settled(await fixture.post({ title, content }));
  }
  const agent = await service.agent(key, { knowledgeBaseId: base.id, allowedOrigins: [ORIGIN] });
  const minter = await service.key(["widget:mint"]);
  const json = { agentId: agent.id, visitor: { id: "ada" } };
  const minted = await service.fetch("/v1/widget/session", {
    ...{ method: "POST", key: minter, json, headers: { origin: ORIGIN } },
  });
  const token = (await expectJson(minted, 201)).sessionToken;
  const ada = { token, origin: ORIGIN, agent, on: service };
  const { id } = await ask(ada, "Can I return a book?");
  const { messages } = await read(ada, id);
  assertEquals(messages.at(-1)!.sources, [
    { title: "Handbook", used: true, text },
  ]);
});

Deno.test("GET /v1/chat/conversations/:id: names the files of a question, also while it is answered", async () => {
  const held = pausableRuntime();
  await using setup = await start({ runtime: held.runtime });
  const { open, service, key } = setup;
  const attachments = { images: true, documents: true };
  const agent = await service.agent(key, { allowedOrigins: [ORIGIN], attachments });
  const ada = await open("ada", { agent });
  const bytes = "name,price\nTea,3";
  const { expiresAt: _, ...file } = await upload(service, { sessionToken: ada.token }, {
    ...{ bytes, name: "prices.csv" },
  });
  const question = { ...say("What is it?"), attachments: [file.id] };
  await using text = new SseText(await send(ada, [question]));
  await text.until("Hello");
  const { conversationId } = text.frame("start");
  const filesOf = async () => {
    const { messages } = await read(ada, conversationId);
    return messages.map((message) => message.attachments);
  };
  assertEquals(await filesOf(), [[file]]);
  held.release();
  await text.until("event: done");
  assertEquals(await filesOf(), [[file], undefined]);
});

Deno.test("another device: the visitor continues with another session, in another process", async (t) => {
  await using setup = await start();
  const { kv, open, runtime } = setup;
  await using other = await TestService.start({ kv, keepKv: true, runtime });
  const laptop = await open("ada");
  const phone = await open("ada", { on: other });
  const first = await ask(laptop, "From the laptop");
  const seen = await read(phone, first.id);
  assertEquals(seen.messages.map(({ content }) => content), ["From the laptop", first.text]);

  await t.step("the transcript sent back is not stored twice", async () => {
    const earlier = seen.messages.map(({ role, content }) => ({ role, content }));
    const second = await ended(await send(phone, [...earlier, say("From the phone")], first.id));
    assertEquals(second.id, first.id);
    const { messages } = await read(laptop, first.id);
    assertEquals(messages.map(({ content }) => content), [
      ...["From the laptop", first.text, "From the phone", second.text],
    ]);
    const { data } = await list(laptop);
    assertEquals(data.map(({ id, messageCount }) => [id, messageCount]), [[first.id, 4]]);
  });

  await t.step("its runs can be followed with both sessions", async () => {
    const follow = (page: Page) =>
      page.on.fetch(`/v1/chat/runs/${first.runId}/stream`, {
        headers: { "x-service-session": page.token, origin: page.origin },
      });
    assertEquals((await readFrames(await follow(phone))).length > 2, true);
    await expectError(await follow(await open("bob")), "not_found");
    await expectError(await follow(await open("ada", { origin: APP })), "not_found");
    await expectError(await follow(await open()), "not_found");
  });

  await t.step("deleted on one, gone on the other", async () => {
    assertEquals((await call(phone, `/${first.id}`, { method: "DELETE" })).status, 204);
    await expectError(await call(laptop, `/${first.id}`), "not_found");
    await expectError(await call(phone, `/${first.id}`, { method: "DELETE" }), "not_found");
    assertEquals((await list(laptop)).data, []);
  });
});

Deno.test("PATCH /v1/chat/conversations/:id: sets the title, which stays", async () => {
  await using setup = await start();
  const { open, kv } = setup;
  const ada = await open("ada");
  const { id } = await ask(ada, "Hello");
  const rename = (json: unknown, page = ada) => call(page, `/${id}`, { method: "PATCH", json });
  const renamed = await expectJson(await rename({ title: "  My parcel " }), 200);
  assertEquals([renamed.id, renamed.title, renamed.messageCount], [id, "My parcel", 2]);
  await ask(ada, "More", id);
  assertEquals((await list(ada)).data.map(({ title }) => title), ["My parcel"]);
  assertFalse((await storedText(kv, { content: undefined })).includes("My parcel"));
  for (const title of ["", " ", "x".repeat(81), "a\nb", "a\0b", 5, null]) {
    await expectInvalid(await rename({ title }), ["title"]);
  }
  await expectInvalid(await rename({ title: "a", more: 1 }), ["more"]);
  await expectError(await rename({ title: "Bob's" }, await open("bob")), "not_found");
  assertEquals((await read(ada, id)).title, "My parcel");
});

Deno.test("while an answer is being written: read, followed and deleted, by any process", async (t) => {
  const paused = pausableRuntime();
  await using setup = await start({ runtime: paused.runtime });
  const { kv, open, service } = setup;
  await using other = await TestService.start({
    kv,
    keepKv: true,
    runtime: instantRuntime().runtime,
  });
  const laptop = await open("ada");
  const phone = await open("ada", { on: other });
  const stream = new SseText(await send(laptop, [say("xylophone")]));
  await stream.until("event: delta");
  const { conversationId: id, runId } = stream.frame("start");

  await t.step("the question is there, and the run to follow", async () => {
    const { messages, activeRunId, title } = await read(phone, id);
    assertEquals(messages.map(({ role, content }) => [role, content]), [["user", "xylophone"]]);
    assertEquals([activeRunId, title], [runId, "xylophone"]);
    await expectError(await call(await open("bob", { on: other }), `/${id}`), "not_found");
  });

  await t.step("deleting it leaves nothing of it", async () => {
    assertEquals((await call(phone, `/${id}`, { method: "DELETE" })).status, 204);
    await stream.until("event: done");
    await expectError(await call(laptop, `/${id}`), "not_found");
    await service.service.chat.drain(0);
    const stored = await storedText(kv);
    for (const word of ["xylophone", runId]) assertFalse(stored.includes(word), word);
  });
});

Deno.test("a session without a visitor has what it alone has said", async (t) => {
  await using setup = await start();
  const { open, advance } = setup;
  const page = await open();
  const other = await open();
  const first = await ask(page, "Mine");
  advance(1_000);
  const second = await ask(page, "Mine too");
  const foreign = await ask(other, "Theirs");

  await t.step("it reads, names and deletes that, and lists nothing", async () => {
    assertEquals(await list(page), { data: [] });
    const { messages, title, messageCount } = await read(page, first.id);
    assertEquals([messages.length, title, messageCount], [2, "Mine", 2]);
    const json = { title: "Named" };
    assertEquals((await call(page, `/${second.id}`, { method: "PATCH", json })).status, 200);
    assertEquals((await read(page, second.id)).title, "Named");
    assertEquals((await call(page, `/${second.id}`, { method: "DELETE" })).status, 204);
    await expectError(await call(page, `/${second.id}`), "not_found");
    await expectError(await call(other, `/${first.id}`), "not_found");
  });

  await t.step("continuing another session's conversation does not reveal it", async () => {
    await ask(page, "Let me in", foreign.id);
    await expectError(await call(page, `/${foreign.id}`), "not_found");
    await expectError(await call(page, `/${foreign.id}`, { method: "DELETE" }), "not_found");
    // Nor does it belong to its first session alone any more.
    await expectError(await call(other, `/${foreign.id}`), "not_found");
    assertEquals((await read(page, first.id)).messages.length, 2);
  });
});

Deno.test("foreign credentials: the same 404 for every call, and 401 or 403 for no session", async (t) => {
  await using setup = await start();
  const { open, agents, service, key } = setup;
  const ada = await open("ada");
  const { id } = await ask(ada, "Private");
  const { id: elsewhere } = await service.service.tenants.create("Another");
  const scopes = ["agents:write", "widget:mint"] as const;
  const elsewhereKey = await service.key([...scopes], elsewhere);
  const theirs = await service.agent(elsewhereKey, { allowedOrigins: [ORIGIN] });
  const strangers: Record<string, Page> = {
    "another visitor": await open("bob"),
    "a visitor whose id differs in case": await open("Ada"),
    "no visitor": await open(),
    "the visitor on another page": await open("ada", { origin: APP }),
    "the visitor with another agent": await open("ada", { agent: agents[1] }),
    "a visitor of another tenant": await open("ada", { agent: theirs, key: elsewhereKey }),
  };
  const unknown = await (await call(ada, `/${crypto.randomUUID()}`)).json();
  for (const [name, page] of Object.entries(strangers)) {
    await t.step(name, async () => {
      for (const method of ["GET", "PATCH", "DELETE"]) {
        const json = method === "PATCH" ? { title: "Taken" } : undefined;
        const answer = await call(page, `/${id}`, { method, json });
        assertEquals([answer.status, await answer.json()], [404, unknown]);
      }
      assertEquals((await list(page)).data, []);
    });
  }
  await t.step("no session, a key, an unknown token, another page", async () => {
    await expectError(await service.fetch(PATH), "session_token_invalid");
    await expectError(await service.fetch(`${PATH}/${id}`, { key }), "session_token_invalid");
    const token = "cs_nobody_ever_minted_this";
    await expectError(await call({ ...ada, token }), "session_token_invalid");
    await expectError(
      await call({ ...ada, origin: "https://evil.example" }),
      "origin_not_allowed",
    );
    await expectError(await call({ ...ada, origin: APP }), "origin_not_allowed");
  });
  assertEquals((await read(ada, id)).title, "Private");
});

Deno.test("expired conversations are neither listed nor read", async () => {
  await using setup = await start();
  const { open, advance } = setup;
  const { id } = await ask(await open("ada"), "Hello");
  advance(31 * 86_400_000);
  const later = await open("ada");
  assertEquals((await list(later)).data, []);
  await expectError(await call(later, `/${id}`), "not_found");
});
