/** How conversations end: deleted, expired, or with a process that died. */
import { setImmediate } from "node:timers";
import { assert, assertEquals } from "@std/assert";
import { keys } from "@/lib/store/keys/keys.ts";
import { RunLogStore } from "@/lib/store/runs/run_log_store.ts";
import { acceleratedRuntime } from "./support/accelerated_runtime.ts";
import { ended, openConversations as start } from "./support/conversations.ts";
import { expectError } from "./support/expect_response.ts";
import { readFrames } from "./support/frames.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { TestService } from "./support/service.ts";
import { SseText } from "./support/sse_text.ts";
import { sweepOrphaned } from "./support/sweep_orphaned.ts";
import { contentCipher } from "./support/content.ts";
import { storedText } from "./support/store.ts";
import { answered, byKey, onPage, ORIGIN, say } from "./support/widget_calls.ts";

const DAY_MS = 86_400_000;

Deno.test("DELETE /v1/conversations/:id: removes everything except usage totals", async () => {
  await using setup = await start();
  const { kv, service, key, chat, get, list } = setup;
  const other = await chat("keep this");
  const { id, runId } = await chat("the secret word is xylophone");
  const { runId: second } = await chat("xylophone again", { conversationId: id });
  const read = () => service.fetch("/v1/usage", { key }).then((answer) => answer.json());
  const { storage: full, ...before } = await read();
  const deletion = () => service.fetch(`/v1/conversations/${id}`, { method: "DELETE", key });
  const answer = await deletion();
  assertEquals([answer.status, await answer.text()], [204, ""]);
  await expectError(await get(id), "not_found");
  await expectError(await deletion(), "not_found");
  assertEquals((await list()).data.map((one) => one.id), [other.id]);
  const text = await storedText(kv);
  for (const word of ["xylophone", runId, second]) assertEquals(text.includes(word), false, word);
  const resumed = await service.fetch(`/v1/chat/runs/${runId}/stream`, { key });
  await expectError(resumed, "not_found");
  const { storage, ...used } = await read();
  assertEquals(used, before);
  // Deletion frees the storage that the conversation used.
  assertEquals([full.conversationRuns.used, storage.conversationRuns.used], [3, 1]);
  assert(storage.conversationBytes.used < full.conversationBytes.used / 2);
});

Deno.test("DELETE /v1/conversations/:id: cancels a running run, which does not restore the conversation", async () => {
  await using setup = await start();
  const { kv, service, key, chat, get, runtime, agent, sessionToken } = setup;
  const { id } = await chat("Hello");
  // A process on the same store whose model never finishes its answer.
  const paused = pausableRuntime(runtime.now());
  await using slow = await TestService.start({ kv, keepKv: true, runtime: paused.runtime });
  const body = { messages: [say("xylophone")], conversationId: id };
  const stream = await onPage(slow, { agent, sessionToken, body });
  const of = `/v1/conversations/${id}`;
  assertEquals((await slow.fetch(of, { method: "DELETE", key })).status, 204);
  const frames = await readFrames(stream);
  assertEquals(frames.at(-1)!.frame, { type: "done", finishReason: "cancelled" });
  await expectError(await get(id), "not_found");
  const text = await storedText(kv);
  const runId = stream.headers.get("x-run-id")!;
  for (const word of ["xylophone", runId]) assertEquals(text.includes(word), false, word);
  await chat("again", { conversationId: id });
  const again = await service.fetch(of, { key });
  assertEquals((await again.json()).runCount, 1);
});

Deno.test("DELETE /v1/conversations/:id: works during the first run, from any process, whatever its clock says", async () => {
  const paused = pausableRuntime();
  await using setup = await start({ runtime: paused.runtime });
  const { kv, service, key, get, agent, sessionToken } = setup;
  const messages = [say("xylophone")];
  const stream = await onPage(service, { agent, sessionToken, body: { messages } });
  const events = new SseText(stream);
  await events.until("event: delta");
  const { conversationId: id, runId } = events.frame("start");
  const behind = () => paused.runtime.now() - 60_000;
  const slowClock = { sleep: acceleratedRuntime.sleep, now: behind };
  await using other = await TestService.start({ kv, keepKv: true, runtime: slowClock });
  const deletion = (query = "") =>
    other.fetch(`/v1/conversations/${id}${query}`, { method: "DELETE", key });
  await expectError(await deletion("?origin="), "not_found");
  const theirs = await service.key(["conversations:write"], crypto.randomUUID());
  const foreign = await other.fetch(`/v1/conversations/${id}`, { method: "DELETE", key: theirs });
  await expectError(foreign, "not_found");
  assertEquals((await deletion()).status, 204);
  await events.until("event: done");
  assertEquals(events.frame("done").finishReason, "cancelled");
  await expectError(await get(id), "not_found");
  await expectError(await service.fetch(`/v1/chat/runs/${runId}/stream`, { key }), "not_found");
  const text = await storedText(kv);
  for (const word of ["xylophone", runId, id]) assertEquals(text.includes(word), false, word);
});

Deno.test("a plan sets how long conversations are retained, and zero days stores none", async () => {
  await using setup = await start();
  const { kv, service, chat, get, list, transcript, advance } = setup;
  const plan = keys.plan(await service.tenant());
  const setRetention = (conversationDays: number) =>
    kv.set(plan, { v: 1, models: "all", limits: {}, conversationDays });
  const month = await chat("for 30 days");
  await setRetention(1);
  const day = await chat("for a day");
  await setRetention(0);
  const never = await chat("xylophone");
  await expectError(await get(never.id), "not_found");
  const stored = (await storedText(kv)).split("\n").filter((row) => row.includes("xylophone"));
  assert(
    stored.every((row) => row.startsWith('[["run_heads"')),
    "only the run log is stored, for 10 minutes",
  );
  advance(DAY_MS - 1);
  assertEquals((await transcript(day.id)).runs.length, 1);
  advance(1);
  await expectError(await get(day.id), "not_found");
  assertEquals((await list()).data.map((one) => one.id), [month.id]);
  advance(29 * DAY_MS);
  assertEquals(await list(), { data: [] });
});

Deno.test("GET /v1/conversations/:id: runs older than the retention period are gone, newer ones remain", async () => {
  await using setup = await start();
  const { chat, transcript, advance, service, key, agent } = setup;
  const { id } = await chat("old");
  advance(20 * DAY_MS);
  const sessionToken = await service.mint(key, agent.id, ORIGIN);
  const body = { messages: [say("new")], conversationId: id };
  await ended(await onPage(service, { agent, sessionToken, body }));
  advance(10 * DAY_MS);
  const { runs, runCount } = await transcript(id);
  assertEquals([runs.map(({ messages }) => messages[0]!.content), runCount], [["new"], 2]);
});

Deno.test("a run whose process died is in its conversation with its messages and tool calls so far", async () => {
  const paused = pausableRuntime();
  await using setup = await start({ runtime: paused.runtime });
  const { kv, service, key, agent, list, transcript } = setup;
  const question = "use nothing with {}";
  const messages = [say("before"), answered("indeed"), say(question)];
  const stream = await byKey(service, { key, body: { agentId: agent.id, messages } });
  const runId = stream.headers.get("x-run-id")!;
  const tenant = await service.tenant();
  const logs = new RunLogStore(kv, contentCipher());
  // The log then holds the start, the tool call and its result; the text is paused.
  while (((await logs.readAll({ tenant, runId }))?.frames.length ?? 0) < 3) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  // The lease is not renewed, so other processes consider this one dead.
  await using alive = await TestService.start({ kv, keepKv: true, runtime: paused.runtime });
  await sweepOrphaned(alive.service.orphanedRuns, paused.advance);
  const [conversation] = (await list()).data;
  const { runs } = await transcript(conversation!.id);
  const [run] = runs;
  assertEquals([runs.length, run!.runId], [1, runId]);
  assertEquals([run!.finishReason, run!.errorCode], ["interrupted", "run_interrupted"]);
  const contents = run!.messages.map(({ content, claimed }) => [content, claimed]);
  assertEquals(contents, [["before", true], ["indeed", true], [question, false]]);
  assertEquals(run!.toolCalls.map(({ name }) => name), ["nothing"]);
  assertEquals((await storedText(kv)).includes("runs_asked"), false);
  await stream.body?.cancel();
});

Deno.test("a message whose run fails before a model accepts it is still in a conversation", async () => {
  await using setup = await start();
  const { kv, service, key, agent, list, transcript } = setup;
  const off = await service.agent(key);
  const entry = {
    vendor: "vendor_b",
    model: "away",
    inputUsdPerMTok: 0,
    outputUsdPerMTok: 0,
  } as const;
  const limits = { contextTokens: 8_000, maxOutputTokens: 100 };
  await service.service.catalogue.addMissing([{ ...entry, ...limits }]);
  const body = {
    agentId: off.id,
    provider: "vendor_b",
    model: "away",
    messages: [say("xylophone")],
  };
  await expectError(await byKey(service, { key, body }), "provider_error");
  assertEquals(await list(`?agentId=${agent.id}`), { data: [] });
  const [failed] = (await list(`?agentId=${off.id}`)).data;
  const { runs: [run] } = await transcript(failed!.id);
  assertEquals([run!.finishReason, run!.errorCode, run!.text], ["error", "provider_error", ""]);
  assertEquals(run!.messages.map(({ content }) => content), ["xylophone"]);
  const deleted = { method: "DELETE", key };
  assertEquals((await service.fetch(`/v1/conversations/${failed!.id}`, deleted)).status, 204);
  assertEquals((await storedText(kv)).includes("xylophone"), false);
});
