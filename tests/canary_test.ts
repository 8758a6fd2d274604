/** Canaries: who gets which version, what is counted, and when one is rolled back. */
import { assert, assertEquals } from "@std/assert";
import type { AuditEntry } from "@/lib/store/audit/audit_entry.ts";
import type { Publication } from "@/lib/schemas/publication.ts";
import { SeededRandom } from "./support/fuzz/seeded_random.ts";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { readFrames, textOf } from "./support/frames.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import type { MockRequest } from "./support/mock_providers/mock_providers.ts";
import type { Script } from "./support/mock_providers/script.ts";
import { openPublishing, prompt } from "./support/publishing.ts";
import { ORIGIN, say } from "./support/widget_calls.ts";

/** Ids from a seed: the same conversations get the same version in each run of a test. */
function seededIds(seed: number): () => `${string}-${string}-${string}-${string}-${string}` {
  const dice = new SeededRandom(seed);
  const hex = (length: number) =>
    Array.from({ length }, () => dice.int(0, 15).toString(16)).join("");
  return () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
}

/** Prompts that begin with `broken` are answered by an error of the provider. */
function unlessBroken(request: MockRequest): Script {
  const [system] = request.body.messages as { content: string }[];
  return system!.content.startsWith("broken") ? { status: 400 } : prompt(request);
}

/** Version 1 is published and says `one`; version 2 has `systemPrompt`. */
async function open(systemPrompt = "two", change: Record<string, unknown> = {}) {
  const time = instantRuntime();
  const runtime = { ...time.runtime, uuid: seededIds(25) };
  const on = await openPublishing(change, { answer: unlessBroken, runtime });
  await on.publish({ mode: "manual" });
  await on.save({ systemPrompt });
  const path = `${on.path}/publication/canary`;
  const key = await on.service.key(["agents:write", "conversations:read"]);
  const put = (json: unknown, headers: HeadersInit = {}) =>
    on.service.fetch(path, { method: "PUT", key, json, headers });
  const start = async (json: Record<string, unknown> = {}): Promise<Publication> =>
    await expectJson(await put({ version: 2, percent: 50, ...json }), 200);
  const end = () => on.service.fetch(path, { method: "DELETE", key });
  const current = async (): Promise<Publication> => await expectJson(await on.read(), 200);
  /** Sends a message; resolves with the answer, its conversation, its run and its cost in micro-USD. */
  const ask = async (conversationId?: string, by = on.service) => {
    const json = {
      agentId: on.id,
      messages: [say("Hello")],
      ...conversationId && { conversationId },
    };
    const answer = await by.fetch("/v1/chat/stream", {
      ...{ method: "POST", key, json },
    });
    if (!answer.ok) {
      await answer.body?.cancel();
      return { said: "failed", id: "", runId: "", cost: 0 };
    }
    const frames = await readFrames(answer);
    const started = frames.find(({ frame }) => frame.type === "start")!.frame;
    assert(started.type === "start");
    const costs = frames.map(({ frame }) => frame.type === "usage" ? frame.costUsd : 0);
    return {
      said: textOf(frames),
      id: started.conversationId!,
      runId: answer.headers.get("x-run-id")!,
      cost: Math.round(Math.max(...costs) * 1e6),
    };
  };
  const askMany = (count: number) => inTurns(count, () => ask());
  /** Resolves when the checks of what was answered so far are done. */
  const settled = () => on.service.service.canaries.close();
  /** Who rolled canaries back. */
  const rollbacks = async () => {
    const entries = on.kv.list<AuditEntry>({ prefix: ["audit_entries"] });
    return (await Array.fromAsync(entries))
      .filter(({ value }) => value.action === "roll back canary")
      .map(({ value }) => value.actor.kind);
  };
  const more = { adminKey: on.key, time, key, settled, rollbacks };
  return { ...on, ...more, put, start, end, current, ask, askMany };
}

/** Does `work` `count` times, eight at once. */
async function inTurns<T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let n = 0; n < count; n += 8) {
    const batch = Array.from({ length: Math.min(8, count - n) }, (_, i) => work(n + i));
    results.push(...await Promise.all(batch));
  }
  return results;
}

Deno.test("a canary of 20 % gets a fifth of 1,000 new conversations, and its sums are exact", async () => {
  await using on = await open();
  await on.start({ percent: 20 });
  const answers = await on.askMany(1_000);
  const [canary, published] = ["two", "one"].map((words) =>
    answers.filter(({ said }) => said === words)
  );
  assertEquals(canary!.length + published!.length, 1_000);
  // Four standard deviations of a binomial distribution; the ids are seeded, so this never changes.
  assert(Math.abs(canary!.length - 200) < 4 * Math.sqrt(1_000 * 0.2 * 0.8), `${canary!.length}`);
  const counted = (await on.current()).canary!.answers;
  for (const [arm, asked] of [["canary", canary!], ["published", published!]] as const) {
    const { conversations, answers, errors, costUsd } = counted[arm];
    const cost = asked.reduce((sum, one) => sum + one.cost, 0);
    assertEquals(
      [conversations, answers, errors, Math.round(costUsd * 1e6)],
      [asked.length, asked.length, 0, cost],
    );
  }
});

Deno.test("a conversation keeps the version that it began with, and earlier ones stay where they were", async () => {
  await using on = await open();
  const before = await on.askMany(8);
  await on.start();
  const begun = await on.askMany(24);
  assertEquals(new Set(begun.map(({ said }) => said)), new Set(["one", "two"]));
  // Another share divides only what begins from then on.
  await on.start({ percent: 1 });
  const again = await inTurns(24, (n) => on.ask(begun[n]!.id));
  assertEquals(again.map(({ said }) => said), begun.map(({ said }) => said));
  const stayed = await inTurns(8, (n) => on.ask(before[n]!.id));
  assertEquals(new Set(stayed.map(({ said }) => said)), new Set(["one"]));
  const { canary, published } = (await on.current()).canary!.answers;
  // What began before is on neither side.
  assertEquals(
    [canary.conversations + published.conversations, canary.answers + published.answers],
    [
      ...[24, 48],
    ],
  );
  await expectJson(await on.end(), 200);
  const after = await inTurns(24, (n) => on.ask(begun[n]!.id));
  assertEquals(new Set(after.map(({ said }) => said)), new Set(["one"]));
  const { lastCanary } = await on.current();
  assertEquals([lastCanary!.version, lastCanary!.outcome], [2, "stopped"]);
  assertEquals(lastCanary!.answers.canary.answers, canary.answers);
});

Deno.test("an agent that keeps nothing gives a conversation the same version each time", async () => {
  await using on = await open("two", { retentionDays: 0 });
  await on.start();
  const begun = await on.askMany(16);
  const again = await inTurns(16, (n) => on.ask(begun[n]!.id));
  assertEquals(again.map(({ said }) => said), begun.map(({ said }) => said));
  assertEquals(new Set(begun.map(({ said }) => said)).size, 2);
});

Deno.test("a client that sends the whole conversation each time gets the published version", async () => {
  await using on = await open();
  await on.start();
  const asked = await inTurns(12, async () => {
    const json = { model: on.id, messages: [say("Hello")] };
    const answer = await on.service.fetch("/v1/openai/chat/completions", {
      ...{ method: "POST", key: on.key, json },
    });
    return (await expectJson(answer, 200)).choices[0].message.content;
  });
  const history = [say("Hello"), { role: "assistant", content: "Hi" }, say("And?")];
  const own = await inTurns(12, async () => {
    const json = { agentId: on.id, messages: history };
    return textOf(
      await readFrames(
        await on.service.fetch("/v1/chat/stream", { method: "POST", key: on.key, json }),
      ),
    );
  });
  assertEquals(new Set([...asked, ...own]), new Set(["one"]));
});

Deno.test("sessions of a site are divided too, and the playground keeps the draft", async () => {
  await using on = await open();
  await on.start();
  const said = await inTurns(16, async () => {
    return await on.onSite(await on.service.mint(on.adminKey, on.id, ORIGIN));
  });
  assertEquals(new Set(said), new Set(["one", "two"]));
});

Deno.test("past its errors a canary is rolled back once, and the inbox of alerts says so", async () => {
  await using on = await open("broken");
  await on.start({ limits: { minAnswers: 5, errorPercent: 20 } });
  const before = (await on.current()).canary!;
  assertEquals(before.limits, { minAnswers: 5, errorPercent: 20 });
  const answers = await on.askMany(40);
  assert(answers.some(({ said }) => said === "failed"));
  await on.settled();
  const { canary, lastCanary, version } = await on.current();
  assertEquals([canary, version], [undefined, 1]);
  assertEquals([lastCanary!.outcome, lastCanary!.reason], ["rolled_back", "errors"]);
  const { answers: all, errors } = lastCanary!.answers.canary;
  assertEquals(all, errors);
  assert(errors >= 5 && errors === answers.filter(({ said }) => said === "failed").length);
  assertEquals(await on.rollbacks(), ["service"]);
  const alerts = await on.service.service.alerts
    .list(await on.service.tenant(), "canary_rolled_back");
  assertEquals(alerts.map(({ name, detail, count }) => [name, detail, count]), [
    [on.id, "errors", 1],
  ]);
  // From then on everybody gets the published version.
  assertEquals(new Set((await on.askMany(8)).map(({ said }) => said)), new Set(["one"]));
});

Deno.test("two processes divide alike, count together and roll back once", async () => {
  await using on = await open("broken");
  await using there = await on.another();
  const both = [on.service, there];
  await on.start({ limits: { minAnswers: 12 } });
  const ids = Array.from({ length: 60 }, seededIds(7));
  const first = await inTurns(60, (n) => on.ask(ids[n], both[n % 2]));
  await on.settled();
  await there.service.canaries.close();
  assertEquals(await on.rollbacks(), ["service"]);
  const { lastCanary } = await on.current();
  const failed = first.filter(({ said }) => said === "failed").length;
  assertEquals(lastCanary!.answers.canary.errors, failed);
  const later = await inTurns(60, (n) => on.ask(ids[n], both[(n + 1) % 2]));
  assertEquals(new Set(later.map(({ said }) => said)), new Set(["one"]));
});

Deno.test("past its ratings a canary is rolled back", async () => {
  await using on = await open();
  await on.start({ limits: { downPercent: 50 } });
  const answers = (await on.askMany(24)).filter(({ said }) => said === "two").slice(0, 6);
  for (const [n, { runId }] of answers.entries()) {
    const rating = n < 2 ? "up" : "down";
    const rated = await on.service.fetch(`/v1/chat/runs/${runId}/feedback`, {
      ...{ method: "PUT", key: on.key, json: { rating } },
    });
    assertEquals(rated.status, 204, await rated.text());
  }
  await on.settled();
  const { lastCanary } = await on.current();
  assertEquals([lastCanary!.outcome, lastCanary!.reason], ["rolled_back", "ratings"]);
  assertEquals([lastCanary!.answers.canary.up, lastCanary!.answers.canary.down], [2, 4]);
});

Deno.test("publishing the canary's version ends it; another canary counts from nothing", async () => {
  await using on = await open();
  await on.start();
  await on.askMany(8);
  const published = await on.publish({ mode: "manual", version: 2 });
  assertEquals([published.version, published.lastCanary!.outcome], [2, "published"]);
  await on.save({ systemPrompt: "three" });
  const started = await on.start({ version: 3 });
  assertEquals(started.canary!.answers.canary.answers, 0);
  assertEquals(started.canary!.answers.published.answers, 0);
  // A publication that changes nothing ends nothing.
  assertEquals((await on.publish({ mode: "manual" })).canary?.version, 3);
  assertEquals((await on.publish({ mode: "automatic" })).lastCanary?.outcome, "published");
});

Deno.test("what the canary cannot take is answered by the published version", async () => {
  await using on = await open();
  const modelPolicy = { provider: "vendor_c", model: "mid" };
  await on.save({ modelPolicy, systemPrompt: "three" });
  await on.start({ version: 3 });
  const { catalogue, runtime } = on.service.service;
  assertEquals(await catalogue.remove("vendor_c", "mid", runtime), true);
  const answers = await on.askMany(16);
  assertEquals(new Set(answers.map(({ said }) => said)), new Set(["one"]));
  const { canary, published } = (await on.current()).canary!.answers;
  assertEquals([canary.answers, published.answers], [0, 16]);
});

Deno.test("the canary's version outlives a hundred saves", async () => {
  await using on = await open();
  await on.start();
  for (let n = 0; n < 101; n++) await on.save({ systemPrompt: `draft ${n}` });
  const said = new Set((await on.askMany(16)).map(({ said }) => said));
  assertEquals(said, new Set(["one", "two"]));
});

Deno.test("what cannot be a canary is rejected and changes nothing", async () => {
  await using on = await open();
  const before = await on.current();
  const canary = (json: unknown) => on.put(json);
  await expectInvalid(await canary({ version: 1, percent: 10 }), ["version"]);
  await expectInvalid(await canary({ version: 9, percent: 10 }), ["version"]);
  await expectInvalid(await canary({ version: 2, percent: 51 }), ["percent"]);
  await expectInvalid(await canary({ version: 2, percent: 0.5 }), ["percent"]);
  await expectInvalid(await canary({ version: 2, percent: 10, limits: { errorPercent: 101 } }), [
    ...["limits.errorPercent"],
  ]);
  await expectError(
    await on.put({ version: 2, percent: 10 }, { "if-match": '"9"' }),
    "version_conflict",
  );
  await expectError(await on.end(), "not_found");
  assertEquals(await on.current(), before);
  await on.publish({ mode: "automatic" });
  await expectInvalid(await canary({ version: 1, percent: 10 }), ["mode"]);
});
