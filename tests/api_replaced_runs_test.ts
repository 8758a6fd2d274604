/** `replaces`: an answer is asked for again, a question is changed, and what is stored says so. */
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import type { ConversationRun } from "@/lib/schemas/conversation.ts";
import type { OwnTranscript } from "@/lib/schemas/own_conversation.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { ended, openConversations } from "./support/conversations.ts";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { TestService, type TestServiceOptions } from "./support/service.ts";
import { SseText } from "./support/sse_text.ts";
import { answered, byKey, chat as send, ORIGIN, say } from "./support/widget_calls.ts";

const APP = "https://app.example.com";

type Fixture = Awaited<ReturnType<typeof openConversations>>;

/** A page of a visitor with a session. */
interface Page {
  on: TestService;
  agent: { id: string };
  sessionToken: string;
  origin: string;
}

async function openPage(
  { service, key, agent }: Pick<Fixture, "service" | "key" | "agent">,
  { visitor, origin = ORIGIN, on = service }: {
    visitor?: string;
    origin?: string;
    on?: TestService;
  } = {},
): Promise<Page> {
  const json = { agentId: agent.id, ...visitor !== undefined && { visitor: { id: visitor } } };
  const init = { method: "POST", key, json, headers: { origin } };
  const minted = await expectJson(await service.fetch("/v1/widget/session", init), 201);
  return { on, agent, sessionToken: minted.sessionToken, origin };
}

function post(
  { on, agent, sessionToken, origin }: Page,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return send(on, agent, { sessionToken, body, headers: { origin, ...headers } });
}

/** A message to its end. */
async function ask(page: Page, texts: string[], body: Record<string, unknown> = {}) {
  const messages = texts.map((text, n) => n % 2 === 0 ? say(text) : answered(text));
  return await ended(await post(page, { messages, ...body }));
}

async function own(page: Page, id: string, query = ""): Promise<OwnTranscript> {
  const { on, sessionToken, origin } = page;
  const headers = { "x-service-session": sessionToken, origin };
  const path = `/v1/chat/conversations/${id}${query}`;
  return await expectJson(await on.fetch(path, { headers }), 200);
}

/** What is stored of each run: its own messages, `+` before those of the client, `-` if superseded. */
function shape(runs: readonly ConversationRun[]): string[] {
  return runs.map(({ messages, superseded }) =>
    (superseded ? "-" : "") +
    messages.map(({ content, claimed }) => (claimed ? "+" : "") + content).join(" ")
  );
}

/** The messages of the current path. */
function current({ messages }: Pick<OwnTranscript, "messages">): string[] {
  return messages.filter(({ superseded }) => !superseded).map(({ content }) => content);
}

Deno.test("POST /v1/chat/stream: with `replaces` an answer is asked for again, and both are stored", async () => {
  await using setup = await openConversations();
  const page = await openPage(setup, { visitor: "ada" });
  const first = await ask(page, ["one"]);
  const { id: conversationId } = first;
  const second = await ask(page, ["one", first.text, "two"], { conversationId });
  const body = { conversationId, replaces: second.runId };
  const again = await ask(page, ["one", first.text, "two"], body);
  const { runs, runCount } = await setup.transcript(conversationId);
  assertEquals(shape(runs), ["one", "-two", "two"], "no message is stored twice");
  assertEquals(runCount, 3);
  assertEquals(runs.map(({ replaces }) => replaces), [undefined, undefined, second.runId]);
  const seen = await own(page, conversationId);
  assertEquals(current(seen), ["one", first.text, "two", again.text]);
  assertEquals(seen.messages.map(({ replaces }) => replaces), [
    ...Array(4).fill(undefined),
    ...Array(2).fill(second.runId),
  ]);
  assertEquals([seen.title, seen.messageCount], ["one", 6]);
});

Deno.test("POST /v1/chat/stream: a changed question drops what followed it from the current path", async (t) => {
  await using setup = await openConversations();
  const page = await openPage(setup, { visitor: "ada" });
  const said: string[] = [];
  const runIds: string[] = [];
  let conversationId: string | undefined;
  const next = async (text: string, body: Record<string, unknown> = {}) => {
    const answer = await ask(page, [...said, text], { conversationId, ...body });
    conversationId = answer.id;
    runIds.push(answer.runId);
    said.push(text, answer.text);
  };
  for (const text of ["q1", "q2", "q3"]) await next(text);
  const before = [...said];
  said.length = 2;
  await next("q2b", { replaces: runIds[1] });
  await next("q4");

  await t.step("earlier messages of the path are not stored again", async () => {
    const { runs } = await setup.transcript(conversationId!);
    assertEquals(shape(runs), ["q1", "-q2", "-q3", "q2b", "q4"]);
    assertEquals(current(await own(page, conversationId!)), said);
  });

  await t.step("messages of the other branch are claims here", async () => {
    await ask(page, [...before.slice(0, 4), "q5"], { conversationId });
    const { runs } = await setup.transcript(conversationId!);
    assertEquals(shape(runs).at(-1), `+q2 +${before[3]} q5`);
  });

  await t.step(
    "a run outside the path can be replaced: the new one follows what it followed",
    async () => {
      const again = await ask(page, [...before.slice(0, 4), "q3b"], {
        ...{ conversationId, replaces: runIds[2] },
      });
      const { runs } = await setup.transcript(conversationId!);
      const marks = runs.map(({ superseded }) => superseded ?? false);
      assertEquals(marks, [false, false, true, true, true, true, false]);
      assertEquals(shape(runs).at(-1), "q3b");
      assertEquals(current(await own(page, conversationId!)), [
        ...before.slice(0, 4),
        ...["q3b", again.text],
      ]);
    },
  );
});

Deno.test("GET conversations: `superseded` is the same on every page", async () => {
  await using setup = await openConversations();
  const page = await openPage(setup);
  const { id: conversationId, runId } = await ask(page, ["first"]);
  const second = await ask(page, ["second"], { conversationId });
  await ask(page, ["third"], { conversationId });
  await ask(page, ["second again"], { conversationId, replaces: second.runId });
  await ask(page, ["fourth"], { conversationId });
  const whole = await setup.transcript(conversationId);
  assertEquals(shape(whole.runs), ["first", "-second", "-third", "second again", "fourth"]);
  const { messages } = await own(page, conversationId);
  for (const limit of [1, 2, 3]) {
    const runs: ConversationRun[] = [];
    const seen: OwnTranscript["messages"] = [];
    for (let cursor = "";;) {
      const query = `?limit=${limit}${cursor && `&cursor=${cursor}`}`;
      const part = await setup.transcript(conversationId, query);
      runs.push(...part.runs);
      if (part.nextCursor === undefined) break;
      cursor = part.nextCursor;
    }
    for (let cursor = "";;) {
      const query = `?limit=${limit}${cursor && `&cursor=${cursor}`}`;
      const part = await own(page, conversationId, query);
      seen.push(...part.messages);
      if (part.nextCursor === undefined) break;
      cursor = part.nextCursor;
    }
    assertEquals([runs, seen], [whole.runs, messages]);
  }
  await ask(page, ["first again"], { conversationId, replaces: runId });
  const { runs } = await setup.transcript(conversationId);
  assertEquals(shape(runs).filter((text) => !text.startsWith("-")), ["first again"]);
});

Deno.test("POST /v1/chat/stream: `replaces` names a run of that very conversation, else the same 400", async (t) => {
  await using setup = await openConversations();
  const { service, key, agent } = setup;
  await service.fetch(`/v1/agents/${agent.id}`, {
    ...{ method: "PATCH", key, json: { allowedOrigins: [ORIGIN, APP] } },
  });
  const ada = await openPage(setup, { visitor: "ada" });
  const mine = await ask(ada, ["mine"]);
  const otherAgent = await service.agent(key, { allowedOrigins: [ORIGIN] });
  const { id: elsewhere } = await service.service.tenants.create("Elsewhere");
  const theirKey = await service.key(["agents:write", "widget:mint"], elsewhere);
  const theirs = await service.agent(theirKey, { allowedOrigins: [ORIGIN] });
  /** The run of someone else, in a conversation with the same id where that is possible. */
  const at = async (page: Page) => (await ask(page, ["x"], { conversationId: mine.id })).runId;
  const foreign: Record<string, string> = {
    "no run at all": crypto.randomUUID(),
    "of another conversation": (await ask(ada, ["other"])).runId,
    "of another visitor": await at(await openPage(setup, { visitor: "bob" })),
    "of a session without a visitor": await at(await openPage(setup)),
    "of the visitor on another page": await at(
      await openPage(setup, { visitor: "ada", origin: APP }),
    ),
    "of another agent": await at(
      await openPage({ ...setup, agent: otherAgent }, { visitor: "ada" }),
    ),
    "of another tenant": await at(
      await openPage({ service, key: theirKey, agent: theirs }, { visitor: "ada" }),
    ),
    "of a backend": (await ended(
      await byKey(service, { key, body: { agentId: agent.id, conversationId: mine.id } }),
    )).runId,
  };
  const { runs } = await setup.transcript(mine.id, `?agentId=${agent.id}&visitorId=ada`);
  const spent = await expectJson(await service.fetch("/v1/usage", { key }), 200);
  const body = { messages: [say("mine")], conversationId: mine.id };
  for (const [name, replaces] of Object.entries(foreign)) {
    await t.step(name, async () => {
      const [issue, ...more] = await expectInvalid(await post(ada, { ...body, replaces }), [
        "replaces",
      ]);
      const message = "must be a run of this conversation";
      assertEquals([issue, more], [{ path: "replaces", code: "invalid_value", message }, []]);
    });
  }
  await t.step("nothing is spent, and nothing stored", async () => {
    assertEquals(await expectJson(await service.fetch("/v1/usage", { key }), 200), spent);
    const after = await setup.transcript(mine.id, `?agentId=${agent.id}&visitorId=ada`);
    assertEquals(after.runs, runs);
  });
  await t.step("without a conversation, or with a value that is no UUID", async () => {
    const messages = [say("mine")];
    await expectInvalid(await post(ada, { messages, replaces: mine.runId }), ["replaces"]);
    await expectInvalid(await post(ada, { ...body, replaces: "last" }), ["replaces"]);
  });
  await t.step("the same run, by its own visitor in another session", async () => {
    const later = await openPage(setup, { visitor: "ada" });
    await ask(later, ["mine"], { conversationId: mine.id, replaces: mine.runId });
  });
});

Deno.test("POST /v1/chat/stream: a backend replaces the runs of its own conversations", async () => {
  await using setup = await openConversations();
  const { service, key, agent } = setup;
  const call = async (body: Record<string, unknown> = {}) =>
    await ended(await byKey(service, { key, body: { agentId: agent.id, ...body } }));
  const { id: conversationId, runId } = await call();
  await call({ conversationId, replaces: runId.toUpperCase() });
  const { runs } = await setup.transcript(conversationId);
  assertEquals(shape(runs), ["-Hello", "Hello"]);
  assertEquals(runs[1]!.replaces, runId);
});

Deno.test("POST /v1/chat/stream: `replaces` is part of a message that is sent again", async () => {
  await using setup = await openConversations();
  const page = await openPage(setup);
  const first = await ask(page, ["one"]);
  const second = await ask(page, ["two"], { conversationId: first.id });
  const headers = { "idempotency-key": "a key of sixteen characters".replaceAll(" ", "-") };
  const body = { messages: [say("two")], conversationId: first.id };
  const message = { ...body, replaces: second.runId };
  const sent = await ended(await post(page, message, headers));
  const repeated = await post(page, message, headers);
  assertEquals(repeated.headers.get("idempotency-replayed"), "true");
  assertEquals((await ended(repeated)).runId, sent.runId);
  for (const other of [body, { ...body, replaces: first.runId }]) {
    await expectError(await post(page, other, headers), "idempotency_key_reused");
  }
  const { runs } = await setup.transcript(first.id);
  assertEquals(shape(runs), ["one", "-two", "two"]);
});

/** Two processes on one store; runs of the first one pause. */
async function openProcesses() {
  const paused = pausableRuntime();
  const setup = await openConversations({ runtime: paused.runtime } as TestServiceOptions);
  const other = await TestService.start({
    ...{ kv: setup.kv, keepKv: true, runtime: instantRuntime().runtime },
  });
  return {
    ...{ ...setup, paused, other },
    async [Symbol.asyncDispose]() {
      paused.release();
      await other[Symbol.asyncDispose]();
      await setup[Symbol.asyncDispose]();
    },
  };
}

for (const where of ["the same process", "another process"]) {
  Deno.test(`POST /v1/chat/stream: an answer that is still being written is cancelled, in ${where}`, async (t) => {
    await using setup = await openProcesses();
    const { paused, service } = setup;
    const page = await openPage(setup, { visitor: "ada" });
    const on = where === "another process" ? setup.other : service;
    const here = { ...page, on };
    paused.release();
    const first = await ask(page, ["one"]);
    paused.hold();
    const conversationId = first.id;
    const stream = new SseText(await post(page, { messages: [say("two")], conversationId }));
    await stream.until("event: delta");
    const { runId: replaces } = stream.frame("start");

    await t.step("a stranger cannot stop it that way", async () => {
      const bob = await openPage(setup, { visitor: "bob", on });
      const body = { messages: [say("two")], conversationId, replaces };
      await expectInvalid(await post(bob, body), ["replaces"]);
    });

    const sent = post(here, { messages: [say("two")], conversationId, replaces });
    await stream.until("event: done");
    assertEquals(stream.frame("done").finishReason, "cancelled");
    const answer = await sent;
    assertEquals(answer.status, 200);
    const again = new SseText(answer);
    await again.until("event: delta");

    if (where === "the same process") {
      await t.step(
        "while the new answer is written, the old one is superseded already",
        async () => {
          const seen = await own(here, conversationId);
          assertEquals(current(seen), ["one", first.text, "two"]);
          assertEquals(seen.messages.at(-1)!.replaces, replaces);
          assertEquals(seen.activeRunId, again.frame("start").runId);
        },
      );
      paused.release();
    }
    await again.until("event: done");
    const { runs } = await setup.transcript(conversationId);
    assertEquals(shape(runs), ["one", "-two", "two"]);
    assertEquals(runs[1]!.finishReason, "cancelled");
  });
}

Deno.test("POST /v1/chat/stream: messages that replace one run at once make branches, and the last is current", async () => {
  await using setup = await openProcesses();
  setup.paused.release();
  const page = await openPage(setup);
  const first = await ask(page, ["one"]);
  const body = { conversationId: first.id, replaces: first.runId };
  const pages = Array.from({ length: 8 }, (_, n) => n % 2 ? page : { ...page, on: setup.other });
  const all = await Promise.all(pages.map((at, n) => ask(at, [`one ${n}`], body)));
  const { runs } = await setup.transcript(first.id);
  assertEquals(runs.length, 9);
  assertEquals(runs.map(({ superseded }) => superseded ?? false), [
    ...Array(8).fill(true),
    false,
  ]);
  assert(all.some(({ runId }) => runId === runs.at(-1)!.runId));
});

Deno.test("POST /v1/chat/stream: `replaces` does not fail a message whose conversation is not stored", async () => {
  await using setup = await openConversations();
  const page = await openPage(setup);
  const tenant = await setup.service.tenant();
  await setup.service.service.tenants.changePlan(tenant, (plan) => ({
    ...{ ...plan, conversationDays: 0 },
  }));
  const first = await ask(page, ["one"]);
  const body = { conversationId: first.id, replaces: first.runId };
  assertNotEquals((await ask(page, ["one"], body)).runId, first.runId);
  await setup.service.service.tenants.changePlan(tenant, (plan) => ({
    ...{ ...plan, conversationDays: 30 },
  }));
  await ask(page, ["one"], body);
  const { runs } = await setup.transcript(first.id);
  assertEquals(runs.map(({ replaces }) => replaces), [undefined], "there is nothing to replace");
});

Deno.test("a run of an early release, whose record has no number, can be replaced", async () => {
  await using setup = await openConversations();
  const { kv, service } = setup;
  const page = await openPage(setup);
  const first = await ask(page, ["one"]);
  const second = await ask(page, ["two"], { conversationId: first.id });
  const tenant = await service.tenant();
  for (const { runId } of [first, second]) {
    const { key, value } = await kv.get<{ n?: number }>(keys.run(tenant, runId));
    const { n, ...record } = value!;
    assertEquals(typeof n, "number");
    await kv.set(key, record);
  }
  const body = { conversationId: first.id, replaces: first.runId };
  await ask(page, ["changed"], body);
  const { runs } = await setup.transcript(first.id);
  assertEquals(shape(runs), ["-one", "-two", "changed"]);
});

Deno.test("the title follows a changed first question, unless the visitor has chosen one", async () => {
  await using setup = await openConversations();
  const titles: (string | undefined)[] = [];
  for (const visitor of ["ada", undefined]) {
    const page = await openPage(setup, { ...visitor && { visitor } });
    const first = await ask(page, ["Wher is my parcel"]);
    const body = { conversationId: first.id, replaces: first.runId };
    const changed = await ask(page, ["Where is my parcel"], body);
    titles.push((await own(page, first.id)).title);
    if (visitor === undefined) continue;
    await setup.service.fetch(`/v1/chat/conversations/${first.id}`, {
      method: "PATCH",
      json: { title: "Parcel" },
      headers: { "x-service-session": page.sessionToken, origin: ORIGIN },
    });
    await ask(page, ["Anything else"], { ...body, replaces: changed.runId });
    titles.push((await own(page, first.id)).title);
  }
  assertEquals(titles, ["Where is my parcel", "Parcel", "Where is my parcel"]);
});

Deno.test("GET /v1/visitors/:id/export: has both branches, and says which is current", async () => {
  await using setup = await openConversations();
  const page = await openPage(setup, { visitor: "ada" });
  const first = await ask(page, ["one"]);
  await ask(page, ["changed"], { conversationId: first.id, replaces: first.runId });
  const answer = await setup.service.fetch("/v1/visitors/ada/export", { key: setup.key });
  const [, ...runs] = (await answer.text()).trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(runs.map(({ replaces, superseded }) => [replaces, superseded]), [
    [undefined, true],
    [first.runId, undefined],
  ]);
});
