/** Deleting and exporting everything of a visitor. */
import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { setImmediate } from "node:timers/promises";
import { ErasureStore } from "@/lib/store/visitors/erasure_store.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { ended } from "./support/conversations.ts";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { SeededRandom } from "./support/fuzz/seeded_random.ts";
import { hangingKv } from "./support/hanging_kv.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { openTestKv } from "./support/open_kv.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { TestService, type TestServiceOptions } from "./support/service.ts";
import { SseText } from "./support/sse_text.ts";
import { storedText } from "./support/store.ts";
import { sweepOrphaned } from "./support/sweep_orphaned.ts";
import { chat, ORIGIN, say } from "./support/widget_calls.ts";

const ADA = "ada/1+a@shop.example";
const PATH = `/v1/visitors/${encodeURIComponent(ADA)}`;
const VARIABLES = [{ name: "plan", type: "string" }];

/** A service with two agents; `ask` is a message of a new session, to its end. */
async function start(options: TestServiceOptions = {}) {
  const kv = await openTestKv();
  const time = instantRuntime();
  const service = await TestService.start({ ...time, kv, keepKv: true, ...options });
  const key = await service.key(["agents:write", "widget:mint", "conversations:write"]);
  const change = { allowedOrigins: [ORIGIN], variables: VARIABLES };
  const agents = [await service.agent(key, change), await service.agent(key, change)] as const;
  const mint = (id: string | undefined, { agent = agents[0], on = service, headers = {} } = {}) =>
    on.fetch("/v1/widget/session", {
      ...{ method: "POST", key, headers: { origin: ORIGIN, ...headers } },
      json: {
        agentId: agent.id,
        ...id !== undefined && { visitor: { id, variables: { plan: `plan-of-${id}` } } },
      },
    });
  const send = async (
    id: string | undefined,
    text: string,
    { agent = agents[0], on = service, ...body }: {
      agent?: { id: string };
      on?: TestService;
      conversationId?: string;
    } = {},
  ) => {
    const minted = await mint(id, { agent: agent as typeof agents[0], on });
    const { sessionToken } = await expectJson(minted, 201);
    const headers = { origin: ORIGIN, "idempotency-key": `key-of-${crypto.randomUUID()}` };
    const messages = [say(text)];
    return await chat(on, agent, { sessionToken, headers, body: { messages, ...body } });
  };
  const ask = async (...of: Parameters<typeof send>) => await ended(await send(...of));
  const erase = (on = service) => on.fetch(PATH, { method: "DELETE", key });
  const dispose = async () => {
    await service[Symbol.asyncDispose]();
    kv.close();
  };
  return {
    ...time,
    kv,
    service,
    key,
    agents,
    mint,
    send,
    ask,
    erase,
    [Symbol.asyncDispose]: dispose,
  };
}

/** The state that an accepted erasure answers. */
async function stateOf(answer: Response): Promise<string> {
  return (await expectJson(answer, 202)).state;
}

/** What a store must not have of a visitor: its id, hash and runs, and what was said. */
async function assertErased(
  { kv, service }: { kv: Deno.Kv; service: TestService },
  words: readonly string[],
): Promise<void> {
  assertEquals(await leftOf({ kv, service }, words), []);
}

/** What is left of the visitor: each word with the beginning of its row. */
async function leftOf(
  { kv, service }: { kv: Deno.Kv; service: TestService },
  words: readonly string[],
): Promise<string[]> {
  const rows = (await storedText(kv)).split("\n");
  const all = [ADA, encodeURIComponent(ADA), await hashOf(service), ...words];
  return all.flatMap((word) => {
    const found = rows.filter((row) => row.includes(word));
    return found.map((row) => `${word} in ${row.slice(0, 120)}`);
  });
}

/** The hash of the visitor in this store. */
async function hashOf(service: TestService): Promise<string> {
  return service.service.keyedDigest(JSON.stringify(["visitor", await service.tenant(), ADA]));
}

Deno.test("DELETE /v1/visitors/:id: leaves neither id, hash nor content, and all of the others", async (t) => {
  await using setup = await start();
  const { kv, service, key, agents, ask, mint, erase } = setup;
  const { searchIndexer, inbox } = service.service;
  const tenant = await service.tenant();
  const first = await ask(ADA, "xylophone one");
  const again = await ask(ADA, `xylophone ${"long ".repeat(6_000)}`, { conversationId: first.id });
  const second = await ask(ADA, "xylophone two", { agent: agents[1] });
  const bob = await ask("bob", "marimba", { conversationId: first.id });
  const nobody = await ask(undefined, "marimba");
  const { sessionToken: unused } = await expectJson(await mint(ADA), 201);
  await searchIndexer.indexAll();
  const before = await storedText(kv);
  for (const word of ["xylophone", first.runId, await hashOf(service)]) {
    assert(before.includes(word), "the check can fail");
  }

  await t.step("done, and nothing is left in the whole store", async () => {
    const answer = await erase();
    assertEquals(await stateOf(answer), "done");
    const left = await service.fetch(PATH, { key });
    assertEquals(await expectJson(left, 200), { conversations: 0 });
    const runs = [first, again, second].flatMap(({ runId }) => runId);
    await assertErased(setup, ["xylophone", "plan-of-ada", ...runs, second.id]);
    assertFalse(service.logged.join("").includes("ada"));
  });

  await t.step("its sessions have ended", async () => {
    const headers = { "x-service-session": unused };
    await expectError(
      await service.fetch("/v1/chat/conversations", { headers }),
      "session_token_invalid",
    );
    await expectError(
      await chat(service, agents[0], { sessionToken: unused }),
      "session_token_invalid",
    );
  });

  await t.step("other visitors keep theirs, also in the search", async () => {
    const { data } = await (await service.fetch("/v1/conversations", { key })).json();
    const ids = data.map(({ id }: { id: string }) => id);
    assertEquals(ids.sort(), [bob.id, nobody.id].sort());
    const search = async (query: string) =>
      (await inbox.list(tenant, { query }, { limit: 10 })).data.length;
    assertEquals([await search("marimba"), await search("xylophone")], [2, 0]);
  });

  await t.step("repeated, and for one who never chatted, it is done too", async () => {
    assertEquals(await stateOf(await erase()), "done");
    const unknown = await service.fetch("/v1/visitors/unknown", { method: "DELETE", key });
    assertEquals(await stateOf(unknown), "done");
  });

  await t.step("the visitor may come back", async () => {
    const { id } = await ask(ADA, "I am back");
    const { data } = await (await service.fetch("/v1/conversations", { key })).json();
    assertEquals(data[0].id, id);
  });
});

Deno.test("DELETE /v1/visitors/:id: runs without a stored conversation are deleted too", async () => {
  await using setup = await start();
  const { kv, service, ask, erase } = setup;
  const { tenants } = service.service;
  const tenant = await service.tenant();
  await tenants.setPlan(tenant, { ...await tenants.plan(tenant), conversationDays: 0 });
  const { runId } = await ask(ADA, "xylophone");
  const bob = await ask("bob", "marimba");
  assertEquals(await stateOf(await erase()), "done");
  await assertErased(setup, ["xylophone", runId]);
  assertStringIncludes(await storedText(kv), bob.runId);
});

Deno.test("DELETE /v1/visitors/:id: cancels runs in every process first, and they write nothing afterwards", async (t) => {
  const paused = pausableRuntime();
  await using setup = await start({ runtime: paused.runtime });
  const { kv, service, send, erase, key, mint } = setup;
  await using other = await TestService.start({ kv, keepKv: true, runtime: paused.runtime });
  const here = new SseText(await send(ADA, "xylophone here"));
  const there = new SseText(await send(ADA, "xylophone there", { on: other }));
  const bob = new SseText(await send("bob", "marimba"));
  for (const stream of [here, there, bob]) await stream.until("event: delta");

  await t.step("both streams end as cancelled", async () => {
    const answer = await erase();
    const { id, state } = await expectJson(answer, 202);
    assert(["running", "done"].includes(state), state);
    assertEquals(answer.headers.get("location"), `/v1/visitor-erasures/${id}`);
    for (const stream of [here, there]) {
      await stream.until("event: done");
      assertEquals(stream.frame("done").finishReason, "cancelled");
    }
  });

  await t.step("nothing of them is left", async () => {
    while (await stateOf(await erase()) !== "done") await setImmediate();
    const runs = [here, there].map((stream) => stream.frame("start").runId);
    await assertErased(setup, ["xylophone", ...runs]);
    assertEquals((await mint(ADA)).status, 201);
  });

  await t.step("the other visitor's run goes on", async () => {
    paused.release();
    await bob.until("event: done");
    const { conversationId } = bob.frame("start");
    const stored = await service.fetch(`/v1/conversations/${conversationId}`, { key });
    assertEquals((await stored.json()).visitorId, "bob");
  });
});

Deno.test("DELETE /v1/visitors/:id: what counts towards limits stays until they reset, and nothing else", async () => {
  await using setup = await start();
  const { kv, service, ask, send, erase } = setup;
  const key = await service.key(["widget:mint"]);
  const limits = { messages: 1, per: "day" };
  const set = await service.fetch(`${PATH}/limits`, { method: "PUT", key, json: limits });
  assertEquals(set.status, 200);
  await ask(ADA, "xylophone");
  assertEquals(await stateOf(await erase()), "done");
  const hash = await hashOf(service);
  const left = await leftOf({ kv, service }, ["xylophone"]);
  const account = `["visitor_accounts","${await service.tenant()}","${hash}"]`;
  assertEquals(left.map((row) => row.includes(account)), [true]);
  const answer = await expectError(await send(ADA, "again"), "rate_limit_exceeded");
  assertEquals(answer.details?.scope, "visitor_messages");
});

Deno.test("an erasure in progress rejects new sessions of the visitor, and any process finishes it", async (t) => {
  await using setup = await start();
  const { kv, service, ask, mint, key } = setup;
  await ask(ADA, "xylophone");
  // A process began it and was killed.
  const tenant = await service.tenant();
  const visitor = await hashOf(service);
  const id = await new ErasureStore(kv, systemRuntime).begin({ tenant, visitor });
  const status = async () =>
    await expectJson(await service.fetch(`/v1/visitor-erasures/${id}`, { key }), 200);

  await t.step(
    "a mint is a 503 that may be repeated, with and without an Idempotency-Key",
    async () => {
      for (const headers of [{}, { "idempotency-key": "one-key" }]) {
        const answer = await mint(ADA, { headers });
        assertEquals(answer.headers.get("retry-after"), "5");
        await expectError(answer, "service_unavailable");
      }
      assertEquals((await mint("bob")).status, 201);
      assertEquals([(await status()).state, (await status()).finishedAt], ["running", undefined]);
    },
  );

  await t.step("another process finds and finishes it", async () => {
    await using other = await TestService.start({ kv, keepKv: true, ...instantRuntime() });
    await other.service.visitorErasures.sweep();
    assertEquals((await status()).state, "done");
    await assertErased(setup, ["xylophone"]);
    const headers = { "idempotency-key": "one-key" };
    assertEquals((await mint(ADA, { headers })).status, 201);
  });

  await t.step("its state is the tenant's alone", async () => {
    const { id: elsewhere } = await service.service.tenants.create("Elsewhere");
    const foreign = await service.key(["conversations:write"], elsewhere);
    const path = `/v1/visitor-erasures/${id}`;
    await expectError(await service.fetch(path, { key: foreign }), "not_found");
  });
});

Deno.test("DELETE /v1/visitors/:id: the run of a lost process is settled and deleted, and stays so if it returns", async () => {
  const paused = pausableRuntime();
  await using setup = await start({ runtime: paused.runtime });
  const { kv, service, send, erase } = setup;
  const store = hangingKv(kv);
  await using lost = await TestService.start({
    ...{ kv: store.kv, keepKv: true, runtime: paused.runtime },
  });
  const stream = new SseText(await send(ADA, "xylophone", { on: lost }));
  await stream.until("event: delta");
  const { runId, conversationId } = stream.frame("start");
  // It neither hears of the cancellation nor renews its lease.
  store.hang();
  assertEquals(await stateOf(await erase()), "running");
  await sweepOrphaned(service.service.orphanedRuns, (ms) => paused.advance(ms));
  assertEquals(await stateOf(await erase()), "done");
  // The request to stop the run waits for the process.
  const left = await leftOf(setup, ["xylophone", conversationId]);
  // Also if this fails, or the process cannot be closed.
  store.goOn();
  assertEquals(left, []);
  await lost.service.chat.stopAll();
  // The process deletes the request when it receives it; otherwise it expires within minutes.
  const stays = await leftOf(setup, ["xylophone", runId, conversationId]);
  assertEquals(stays.filter((row) => !row.includes('"stop_requests"')), []);
});

Deno.test("DELETE /v1/visitors/:id: at any moment of any runs leaves nothing of them", async (t) => {
  for (let seed = 1; seed <= 12; seed++) {
    await t.step(`seed ${seed}`, async () => {
      const dice = new SeededRandom(seed);
      await using setup = await start();
      const { kv, service, send, erase, agents } = setup;
      await using other = await TestService.start({ kv, keepKv: true, ...instantRuntime() });
      const conversations = Array.from({ length: 2 }, () => crypto.randomUUID());
      const talk = async (n: number) => {
        for (let turns = dice.int(0, 400); turns > 0; turns--) await setImmediate();
        try {
          const on = n % 2 === 0 ? service : other;
          const agent = agents[n % 3 === 0 ? 1 : 0];
          const conversationId = conversations[n % 2]!;
          const answer = await send(ADA, `xylophone ${n}`, { on, agent, conversationId });
          await answer.text();
        } catch {
          // The mint is rejected during the erasure.
        }
      };
      const talks = Array.from({ length: 8 }, (_, n) => talk(n));
      for (let turns = dice.int(0, 600); turns > 0; turns--) await setImmediate();
      const answers = [erase(service), erase(other)];
      await Promise.all([...talks, ...answers]);
      // What was said after the erasure is the next one's.
      while (await stateOf(await erase(other)) !== "done") await setImmediate();
      await service.service.searchIndexer.indexAll();
      await other.service.searchIndexer.indexAll();
      await service.service.chat.drain(0);
      await other.service.chat.drain(0);
      await assertErased(setup, ["xylophone", ...conversations]);
    });
  }
});

Deno.test("GET /v1/visitors/:id/export: every conversation and run of the visitor, as lines of JSON", async (t) => {
  await using setup = await start();
  const { service, key, agents, ask, advance, erase } = setup;
  const first = await ask(ADA, "First");
  advance(1_000);
  const second = await ask(ADA, "Second", { agent: agents[1] });
  advance(1_000);
  for (let n = 0; n < 25; n++) await ask(ADA, `More ${n}`, { conversationId: first.id });
  await ask("bob", "Not hers", { conversationId: first.id });
  const read = async (path = `${PATH}/export`) => {
    const answer = await service.fetch(path, { key });
    assertEquals([answer.status, answer.headers.get("content-type")], [
      200,
      "application/x-ndjson",
    ]);
    const text = await answer.text();
    return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  };

  await t.step("each conversation, followed by its runs", async () => {
    const lines = await read();
    const shape = lines.map(({ type, id, conversationId }) => `${type} ${id ?? conversationId}`);
    assertEquals(shape, [
      ...[`conversation ${second.id}`, `run ${second.id}`, `conversation ${first.id}`],
      ...Array(26).fill(`run ${first.id}`),
    ]);
    const [of, run] = lines;
    assertEquals([of.visitorId, of.title, of.agentId], [ADA, "Second", agents[1].id]);
    assertEquals([run.messages[0].content, run.text], ["Second", second.text]);
  });

  await t.step("empty for others, and after the deletion", async () => {
    assertEquals(await read("/v1/visitors/nobody/export"), []);
    assertEquals(await stateOf(await erase()), "done");
    assertEquals(await read(), []);
  });
});

Deno.test("/v1/visitors/:id: needs a key with the scope; another tenant's finds nothing", async () => {
  await using setup = await start();
  const { kv, service, ask } = setup;
  await ask(ADA, "xylophone");
  const readOnly = await service.key(["conversations:read"]);
  const minter = await service.key(["widget:mint"]);
  await expectError(
    await service.fetch(PATH, { method: "DELETE", key: readOnly }),
    "insufficient_scope",
  );
  await expectError(await service.fetch(`${PATH}/export`, { key: minter }), "insufficient_scope");
  const { id: elsewhere } = await service.service.tenants.create("Elsewhere");
  const key = await service.key(["conversations:write"], elsewhere);
  assertEquals(await stateOf(await service.fetch(PATH, { method: "DELETE", key })), "done");
  assertEquals(await (await service.fetch(`${PATH}/export`, { key })).text(), "");
  assertStringIncludes(await storedText(kv), "xylophone");
  await expectInvalid(
    await service.fetch(`/v1/visitors/${"x".repeat(129)}`, { method: "DELETE", key }),
    ["id"],
  );
});
