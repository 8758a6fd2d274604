import { assertEquals } from "@std/assert";
import { contentCipher } from "@/tests/support/content.ts";
import { countingKv } from "@/tests/support/counting_kv.ts";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { storedKeys } from "@/tests/support/store.ts";
import { GroupCommitter } from "../tx/group_committer.ts";
import { type AppendedRun, appendRun } from "./append_run.ts";
import { ConversationStore, type RunWithTranscript } from "./conversation_store.ts";
import { conversationUsageKey } from "./conversation_usage.ts";
import { type ConversationName, keys } from "../keys/keys.ts";

const TENANT = fakeUuid(801);
const AGENT = fakeUuid(901);

function textOf({ transcript }: RunWithTranscript): string {
  return transcript === "unreadable" ? transcript : transcript.text;
}

function nameOf(n: number): ConversationName {
  return { tenant: TENANT, id: fakeUuid(n), agentId: AGENT, page: "" };
}

/** Run `n` of a conversation, ended at `endedAt`. */
function runOf(n: number, { name, endedAt }: { name: ConversationName; endedAt: number }) {
  const words = { messages: [], text: `answer ${n}`, tools: [] };
  const parts = [new TextEncoder().encode(JSON.stringify(words))];
  const run: AppendedRun = {
    name,
    days: 30,
    row: {
      runId: fakeUuid(n),
      agentVersion: 1,
      startedAt: endedAt - 10,
      endedAt,
      provider: "vendor_a",
      model: "mid",
      inputTokens: 1,
      outputTokens: 2,
      cost: 3,
      finishReason: "stop",
    },
    messages: 2,
    digests: [`digest-${n}`],
    keyDigest: (digest) => digest,
    packTranscript: () => ({ chunks: parts, bytes: parts[0]!.length, written: false }),
  };
  return run;
}

/** A store, and a committer that adds runs like a settlement. */
function opened(kv: Deno.Kv) {
  const runtime = new FakeRuntime();
  const committer = new GroupCommitter(kv, { runtime });
  const append = (run: AppendedRun) =>
    committer.run({
      keys: [
        keys.conversation(run.name),
        conversationUsageKey(run.name.tenant, run.row.endedAt),
      ],
      decide: (draft) => appendRun(draft, run),
    });
  /** Marks runs as active. */
  const begin = async (...ns: number[]) => {
    for (const n of ns) await kv.set(keys.activeRun(TENANT, fakeUuid(n)), {});
  };
  return {
    runtime,
    append,
    begin,
    store: new ConversationStore(kv, { runtime, content: contentCipher() }),
  };
}

Deno.test("appendRun: a conversation has one entry in each index", async () => {
  using kv = await Deno.openKv(":memory:");
  const { runtime, append } = opened(kv);
  const name = nameOf(1);
  const now = runtime.now();
  // The second last one is from a process with a slow clock.
  for (const [n, at] of [now, now + 5, now + 2, now + 5].entries()) {
    await append(runOf(n, { name, endedAt: at }));
  }
  const prefixes = [keys.conversationsByUpdated(TENANT), keys.conversationsByAgent(TENANT, AGENT)];
  for (const prefix of prefixes) {
    const found = await Array.fromAsync(kv.list({ prefix }));
    assertEquals(found.map(({ key, value }) => [key.includes(now + 5), value]), [
      [true, [name.id, AGENT, ""]],
    ]);
  }
});

Deno.test("appendRun: runs that are settled together are all added in order", async () => {
  using kv = await Deno.openKv(":memory:");
  const { runtime, append, store } = opened(kv);
  const name = nameOf(1);
  const endedAt = runtime.now();
  const added = Array.from({ length: 30 }, (_, n) => append(runOf(n, { name, endedAt })));
  assertEquals(new Set(await Promise.all(added)), new Set([true]));
  const { runs } = await store.listRuns(name, { from: 0, limit: 100 });
  assertEquals(runs.map(textOf), added.map((_, n) => `answer ${n}`));
  const found = await store.find(TENANT, name.id);
  assertEquals([found?.runs, found?.cost], [30, 90]);
});

Deno.test("appendRun: a run that was active at the deletion does not recreate the conversation", async () => {
  using kv = await Deno.openKv(":memory:");
  const { runtime, append, begin, store } = opened(kv);
  const name = nameOf(1);
  await begin(2, 4, 5);
  // Independent of the clocks of other processes.
  const at = (n: number, endedAt: number) => append(runOf(n, { name, endedAt }));
  const now = runtime.now();
  await store.delete(name, [fakeUuid(2)]);
  assertEquals(await at(2, now + 60_000), false);
  assertEquals(await store.find(TENANT, name.id), undefined);
  assertEquals(await at(3, now - 60_000), true);
  await store.delete(name, [fakeUuid(4), fakeUuid(5)]);
  assertEquals(await at(6, now), true);
  assertEquals([await at(4, now), await at(5, now)], [false, false]);
  assertEquals((await store.find(TENANT, name.id))?.runs, 1);
});

Deno.test("ConversationStore: a tombstone does not list runs that ended before the deletion", async () => {
  using kv = await Deno.openKv(":memory:");
  const { runtime, append, begin, store } = opened(kv);
  const name = nameOf(1);
  await append(runOf(1, { name, endedAt: runtime.now() }));
  await store.delete(name, [fakeUuid(1)]);
  assertEquals(await storedKeys(kv), []);
  await begin(2);
  await store.delete(name, [fakeUuid(1), fakeUuid(2)]);
  const { value } = await kv.get(keys.conversation(name));
  assertEquals(value, { v: 1, gone: [fakeUuid(2)] });
});

Deno.test("appendRun: an expired conversation starts again with new run numbers", async () => {
  using kv = await Deno.openKv(":memory:");
  const { runtime, append, store } = opened(kv);
  const name = nameOf(1);
  await append(runOf(1, { name, endedAt: runtime.now() }));
  await runtime.advance(30 * 86_400_000);
  assertEquals(await store.find(TENANT, name.id), undefined);
  await append(runOf(2, { name, endedAt: runtime.now() }));
  const found = await store.find(TENANT, name.id);
  assertEquals([found?.runs, found?.createdAt], [1, runtime.now() - 10]);
  const { runs } = await store.listRuns(name, { from: 0, limit: 10 });
  assertEquals(runs.map(textOf), ["answer 2"]);
});

Deno.test("ConversationStore: the cost of a page does not depend on the number of conversations", async () => {
  using inner = await Deno.openKv(":memory:");
  const { kv, take } = countingKv(inner);
  const { runtime, append, store } = opened(kv);
  const cost = async () => {
    take();
    const page = await store.list(TENANT, { limit: 5 });
    assertEquals(page.data.length, 5);
    return take();
  };
  const add = async (from: number, to: number) => {
    const all = Array.from(
      { length: to - from },
      (_, i) =>
        append(runOf(from + i, { name: nameOf(from + i), endedAt: runtime.now() + from + i })),
    );
    await Promise.all(all);
  };
  await add(0, 10);
  const few = await cost();
  await add(10, 1_000);
  assertEquals(await cost(), few);
});
