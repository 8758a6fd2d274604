/** Erasing a visitor who has everything that a visitor can have, also across crashes, and exporting it. */
import { assert, assertEquals, assertFalse, assertRejects } from "@std/assert";
import { setImmediate } from "node:timers/promises";
import { exportConversations } from "@/lib/dashboard/inbox/export_conversations.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { ConversationStore } from "@/lib/store/conversations/conversation_store.ts";
import { sessionKey } from "@/lib/store/credentials/session_store.ts";
import { HandoffStore } from "@/lib/store/handoffs/handoff_store.ts";
import { overrideKv } from "@/lib/store/kv/override_kv.ts";
import { VisitorData } from "@/lib/store/visitors/visitor_data.ts";
import { contentCipher } from "./support/content.ts";
import { ended } from "./support/conversations.ts";
import { expectError, expectJson } from "./support/expect_response.ts";
import { SeededRandom } from "./support/fuzz/seeded_random.ts";
import { killableKv } from "./support/killable_kv.ts";
import { makePng } from "./support/make_image.ts";
import type { TestService } from "./support/service.ts";
import { SseText } from "./support/sse_text.ts";
import { storedText } from "./support/store.ts";
import {
  liveThrough,
  openProcesses,
  PageVisitor,
  PERSON,
  type Processes,
} from "./support/whole_visitor.ts";

const ADA = "ada/1+a@shop.example";
const DAY_MS = 86_400_000;
const PATH = `/v1/visitors/${encodeURIComponent(ADA)}`;

function hashOf({ service, tenant }: Processes, id: string): string {
  return service.service.keyedDigest(JSON.stringify(["visitor", tenant, id]));
}

/** Rows with one of the words, without the audit log: its entries name conversations, never visitors. */
async function rowsWith(kv: Deno.Kv, words: readonly string[]): Promise<string[]> {
  const rows = (await storedText(kv)).split("\n").filter((row) => !row.startsWith('[["audit_'));
  return rows.flatMap((row) => {
    const found = words.filter((word) => row.includes(word));
    return found.length === 0 ? [] : [`${found[0]} in ${row.slice(0, 140)}`];
  });
}

/** The types and ids of what an export has. */
async function exportOf({ service, key }: Processes, id: string): Promise<string[]> {
  const answer = await service.fetch(`/v1/visitors/${id}/export`, { key });
  const lines = (await answer.text()).trim().split("\n").map((text) => JSON.parse(text));
  // The hand-off of a run in progress is part of its conversation later.
  return lines.filter(({ type }) => type !== "handoff")
    .map(({ type, id, runId }) => `${type} ${id ?? runId}`);
}

async function erase({ key }: Processes, on: TestService): Promise<string> {
  const answer = await on.fetch(PATH, { method: "DELETE", key });
  return (await expectJson(answer, 202)).state;
}

async function settle({ service, other }: Processes): Promise<void> {
  for (const one of [service, other]) {
    await one.service.chat.drain(0);
    await one.service.searchIndexer.indexAll();
  }
}

type Life = Awaited<ReturnType<typeof liveThrough>>;

/** What goes on while a visitor is erased: each call ends when it is rejected. */
function goOn({ service, other, key }: Processes, { pages, rated, waiting, taken }: Life) {
  const path = (id: string, what: string) => `/v1/chat/conversations/${id}/${what}`;
  const query = `?visitorId=${encodeURIComponent(ADA)}`;
  const whileAccepted = async (call: (n: number) => Promise<boolean>) => {
    for (let n = 0; n < 200 && await call(n).catch(() => false); n++) await setImmediate();
  };
  const isAccepted = async (answer: Promise<Response>) => {
    const { status, body } = await answer;
    await body?.cancel();
    return status < 400 || status === 409;
  };
  const byKey = (on: TestService, target: string, method: string, json?: unknown) =>
    isAccepted(on.fetch(target, { method, key, ...json !== undefined && { json } }));
  return [
    // A person writes.
    whileAccepted(async (n) => {
      const event = { type: "say", userId: PERSON.id, text: `xylophone ${n}` } as const;
      return await service.service.handoffs.act(taken.name, event) !== undefined;
    }),
    whileAccepted(() => byKey(other, path(taken.id, `typing${query}`), "POST")),
    // A backend asks for a person, and rates.
    whileAccepted(() => byKey(other, path(waiting.id, `handoff${query}`), "POST")),
    whileAccepted((n) =>
      byKey(service, `/v1/chat/runs/${rated.runId}/feedback`, "PUT", {
        ...{ rating: n % 2 === 0 ? "up" : "down", comment: `xylophone ${n}` },
      })
    ),
    // Pages go on as before.
    ...pages.map((page) =>
      whileAccepted(async (n) => (await page.upload(`xylophone-${n}.png`)).length > 0)
    ),
    ...pages.map((page) =>
      whileAccepted((n) => isAccepted(page.send(`remember that xylophone ${n}`)))
    ),
  ];
}

/** Erases until all is gone, and expects that nothing of the visitor is left. */
async function assertGone(of: Processes, { ids, running }: Life): Promise<void> {
  const { kv, service, other, key } = of;
  while (await erase(of, other) !== "done") await setImmediate();
  await settle(of);
  const files = running.map(({ file }) => file);
  const words = [ADA, encodeURIComponent(ADA), hashOf(of, ADA), "xylophone", ...ids, ...files];
  assertEquals(await rowsWith(kv, words), []);
  for (const one of [service, other]) {
    for (const id of ids) {
      await expectError(await one.fetch(`/v1/conversations/${id}`, { key }), "not_found");
      const run = await one.fetch(`/v1/chat/runs/${id}/stream`, { key });
      await expectError(run, "not_found");
    }
  }
}

Deno.test("DELETE /v1/visitors/:id: of files, feedback, hand-offs and runs on two processes nothing is left, whatever goes on meanwhile", async () => {
  await using of = await openProcesses();
  const { kv, service, other, time } = of;
  const life = await liveThrough(of, ADA);
  const bob = await liveThrough(of, "bob");
  const words = [hashOf(of, ADA), ...life.ids];
  for (const word of words) assert((await rowsWith(kv, [word])).length > 0, "the check can fail");
  const others = await exportOf(of, "bob");

  const busy = goOn(of, life);
  for (let turns = 0; turns < 50; turns++) await setImmediate();
  await Promise.all([...busy, erase(of, service), erase(of, other)]);
  time.release();
  for (const { stream } of life.running) await stream.until("event: done");
  // Bob has said the same words.
  const { ids } = life;
  while (await erase(of, other) !== "done") await setImmediate();
  await settle(of);
  const files = life.running.map(({ file }) => file);
  assertEquals(await rowsWith(kv, [ADA, hashOf(of, ADA), ...ids, ...files]), []);
  const kept = new Set(await exportOf(of, "bob"));
  assertEquals(others.filter((one) => !kept.has(one)), []);
  assert(others.length >= 12, "the other visitor has as much");
  for (const { stream } of [...life.running, ...bob.running]) await stream[Symbol.asyncDispose]();
});

Deno.test("DELETE /v1/visitors/:id: killed at any moment, another process erases the rest", async (t) => {
  for (let seed = 1; seed <= 8; seed++) {
    await t.step(`seed ${seed}`, async () => {
      const dice = new SeededRandom(seed);
      await using of = await openProcesses();
      const life = await liveThrough(of, ADA);
      const store = killableKv(of.kv);
      await using dying = await of.start(store.kv);
      store.killAfter(dice.int(5, 400));
      const busy = goOn(of, life);
      await dying.fetch(PATH, { method: "DELETE", key: of.key }).then((one) => one.body?.cancel());
      store.killAfter(0);
      await of.service.service.visitorErasures.sweep();
      await Promise.all(busy);
      of.time.release();
      await assertGone(of, life);
      for (const { stream } of life.running) await stream[Symbol.asyncDispose]();
    });
  }
});

Deno.test("DELETE /v1/visitors/:id: a hand-off that has outlived its conversation is erased too", async () => {
  await using of = await openProcesses();
  const { kv, service, tenant, advance } = of;
  const page = await PageVisitor.mint(of, ADA, of.places[0]!);
  const { id } = await ended(await page.send("xylophone"));
  await expectJson(await page.fetch(`/v1/chat/conversations/${id}/handoff`, "POST"), 200);
  const { name } = (await service.service.handoffs.locate(tenant, id, {}))!;
  await service.service.handoffs.act(name, { type: "take", person: PERSON });
  await advance(20 * DAY_MS);
  const say = { type: "say", userId: PERSON.id, text: "Still there?" } as const;
  await service.service.handoffs.act(name, say);
  await advance(10 * DAY_MS);
  assert((await rowsWith(kv, [id])).every((row) => row.includes("handoff")));
  assertEquals(await erase(of, service), "done");
  assertEquals(await rowsWith(kv, [id, hashOf(of, ADA)]), []);
});

Deno.test("what was authorized before a visitor was erased and comes too late stores nothing", async (t) => {
  await using of = await openProcesses();
  const { kv, service, tenant, time } = of;
  const { handoffs, attachments, feedback } = service.service;
  const page = await PageVisitor.mint(of, ADA, of.places[0]!);
  const answered = await ended(await page.send("xylophone"));
  const path = `/v1/chat/conversations/${answered.id}/handoff`;
  await expectJson(await page.fetch(path, "POST"), 200);
  const run = (await feedback.findEndedRun(tenant, answered.runId))!;
  time.hold();
  const stream = new SseText(await page.send("xylophone"));
  await stream.until("event: delta");
  const { conversationId } = stream.frame("start");
  const places = [
    (await handoffs.locate(tenant, answered.id, {}))!,
    (await handoffs.locate(tenant, conversationId, {}))!,
  ];
  const agent = await service.service.agents.get(tenant, page.place.agentId);
  const credential = await sessionKey(page.token);
  const owner = { kind: "session" as const, id: "late", visitor: hashOf(of, ADA) };
  while (await erase(of, service) !== "done") await setImmediate();
  await stream[Symbol.asyncDispose]();

  await t.step("a request for a person", async () => {
    for (const place of places) await assertRejects(() => handoffs.request(place), ApiError);
  });
  await t.step("typing", async () => {
    const store = new HandoffStore(kv, { content: contentCipher(), runtime: systemRuntime });
    for (const { name } of places) await store.recordTyping(name, "visitor");
  });
  await t.step("feedback", async () => {
    await assertRejects(() => feedback.rate(run, { rating: "up", comment: "late" }), ApiError);
  });
  await t.step("an upload", async () => {
    const uploader = { tenant, agent, owner, credential };
    const file = { bytes: makePng(), name: "late.png", type: "image/png" };
    const upload = () => attachments.upload(uploader, file as never);
    assertEquals((await assertRejects(upload, ApiError)).code, "session_token_invalid");
  });
  const ids = [answered.id, answered.runId, conversationId, run.runId];
  assertEquals(await rowsWith(kv, [hashOf(of, ADA), ...ids]), []);
});

Deno.test("VisitorData.deleteRuns: feedback that is given between any two steps is deleted with the run", async () => {
  await using of = await openProcesses();
  const { kv, service, tenant } = of;
  const { feedback } = service.service;
  const page = await PageVisitor.mint(of, ADA, of.places[0]!);
  const { runId } = await ended(await page.send("xylophone"));
  const run = (await feedback.findEndedRun(tenant, runId))!;
  let given = 0;
  const afterEach = overrideKv(kv, {
    atomic() {
      const step = kv.atomic();
      const commit = step.commit.bind(step);
      return Object.assign(step, {
        async commit() {
          const result = await commit();
          await feedback.rate(run, { rating: "up" }).then(() => given++, () => {});
          return result;
        },
      });
    },
  });
  const deps = { runtime: systemRuntime, content: contentCipher() };
  const data = new VisitorData(afterEach, new ConversationStore(afterEach, deps));
  const ada = { tenant, visitor: hashOf(of, ADA) };
  assert(await data.deleteRuns(ada, { runIds: [], isDue: () => false }));
  assert(given > 0);
  assertEquals(await rowsWith(kv, ["run_feedback"]), []);
});

Deno.test("GET /v1/visitors/:id/export: has files, feedback, and what people wrote, as has the conversation", async () => {
  await using of = await openProcesses();
  const { service, key } = of;
  const { rated, taken, running, ids } = await liveThrough(of, ADA);
  const say = { type: "say", userId: PERSON.id, text: "It is tuned." } as const;
  await service.service.handoffs.act(taken.name, say);
  const answer = await service.fetch(`${PATH}/export`, { key });
  const lines = (await answer.text()).trim().split("\n").map((text) => JSON.parse(text));
  const ofType = (type: string) => lines.filter((one) => one.type === type);

  const run = ofType("run").find(({ runId }) => runId === rated.runId);
  assertEquals(run.feedback.comment, "No xylophone");
  const [file] = run.messages[0].attachments;
  assertEquals([ids.includes(file.id), file.name], [true, "xylophone.png"]);
  const names = ofType("attachment").map(({ name }) => name).sort();
  assertEquals(names, [
    ...["running.png", "running.png", "unused.png", "unused.png", "xylophone.png"],
  ]);
  // Its run has not ended, so no conversation is stored yet.
  const [unstored] = ofType("handoff");
  assertEquals([ofType("handoff").length, unstored.conversationId, unstored.state], [
    ...[1, running[1]!.conversationId, "waiting"],
  ]);

  const conversation = ofType("conversation").find(({ id }) => id === taken.id);
  const said = conversation.handoff.entries.map((entry: { type: string; text?: string }) =>
    [entry.type, entry.text].filter((one) => one !== undefined).join(": ")
  );
  assertEquals(said, ["state", "state", "visitor: xylophone!", "person: It is tuned."]);
  const { entries } = conversation.handoff;
  assertEquals([entries.at(-1).person, conversation.handoff.person], ["Anna", "Anna"]);
  const contact = ofType("conversation").flatMap(({ handoff }) => handoff?.entries ?? [])
    .find(({ type }) => type === "contact");
  assertEquals(contact.email, "ada@shop.example");

  const read = await service.fetch(`/v1/conversations/${taken.id}?limit=1`, { key });
  const page = await expectJson(read, 200);
  assertEquals(page.handoff, conversation.handoff);
  const next = await service.fetch(
    `/v1/conversations/${taken.id}?limit=1&cursor=${page.nextCursor}`,
    { key },
  );
  assertFalse("handoff" in await expectJson(next, 200));

  const { inbox, conversations } = service.service;
  const wanted = { tenant: of.tenant, search: {}, format: "jsonl" as const };
  const exported = (await Array.fromAsync(exportConversations({ inbox, conversations }, wanted)))
    .map((text) => JSON.parse(text)).filter(({ conversationId }) => conversationId === taken.id);
  assertEquals(exported.map(({ handoff }) => handoff), [conversation.handoff, undefined]);
  of.time.release();
  for (const { stream } of running) await stream[Symbol.asyncDispose]();
});
