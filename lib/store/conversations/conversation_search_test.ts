import { assert, assertEquals } from "@std/assert";
import { contentCipher } from "@/tests/support/content.ts";
import { countingKv } from "@/tests/support/counting_kv.ts";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import type { ConversationSource } from "../../schemas/conversation_source.ts";
import { GroupCommitter } from "../tx/group_committer.ts";
import { appendRun } from "./append_run.ts";
import type { RunRow } from "./conversation_record.ts";
import type { ConversationSearch, SearchCursor } from "./conversation_search.ts";
import { ConversationStore } from "./conversation_store.ts";
import { conversationUsageKey } from "./conversation_usage.ts";
import { keys } from "../keys/keys.ts";

const TENANT = fakeUuid(1);
const [SHOP, OTHER] = [fakeUuid(2), fakeUuid(3)];

/** A store with helpers to add a run to a conversation and to search in pages. */
function opened(kv: Deno.Kv) {
  const runtime = new FakeRuntime();
  const committer = new GroupCommitter(kv, { runtime });
  const store = new ConversationStore(kv, { runtime, content: contentCipher() });
  const nameOf = (n: number, agentId = SHOP) => ({
    tenant: TENANT,
    id: fakeUuid(n),
    agentId,
    page: "",
  });
  let run = 100;
  const add = (
    n: number,
    { agentId = SHOP, at = n, cost = 0, finishReason = "stop", source }: {
      agentId?: string;
      at?: number;
      cost?: number;
      finishReason?: RunRow["finishReason"];
      source?: ConversationSource;
    } = {},
  ) => {
    const name = nameOf(n, agentId);
    const endedAt = runtime.now() + at;
    const row: Parameters<typeof appendRun>[1]["row"] = {
      ...{ runId: fakeUuid(++run), agentVersion: 1, provider: "vendor_a", model: "mid" },
      ...{ startedAt: endedAt - 1, endedAt, inputTokens: 1, outputTokens: 1, cost, finishReason },
    };
    const words = () => ({ chunks: [new Uint8Array([123, 125])], bytes: 2, written: false });
    return committer.run({
      keys: [keys.conversation(name), conversationUsageKey(TENANT, endedAt)],
      decide: (draft) =>
        appendRun(draft, {
          name,
          source,
          days: 30,
          row,
          digests: [],
          messages: 2,
          keyDigest: (digest) => digest,
          packTranscript: words,
        }),
    });
  };
  const find = async (search: ConversationSearch, limit = 2): Promise<number[]> => {
    const ids: number[] = [];
    let after: SearchCursor | undefined;
    do {
      const found = await store.search(TENANT, { search, limit, after });
      ids.push(...found.data.map(({ id }) => Number(id.slice(-6))));
      after = found.next;
    } while (after !== undefined);
    return ids;
  };
  return { runtime, store, add, find, nameOf };
}

Deno.test("searchConversations: filters find exactly their matches, alone and combined, latest first", async () => {
  using kv = await Deno.openKv(":memory:");
  const { runtime, add, find } = opened(kv);
  await add(11);
  await add(12, { agentId: OTHER, cost: 60_000 });
  await add(13, { cost: 6_000_000 });
  await add(14, { finishReason: "error" });
  await add(15, { finishReason: "length", cost: 300_000 });
  await add(16, { agentId: OTHER, finishReason: "error", cost: 1_000_000 });
  assertEquals(await find({}), [16, 15, 14, 13, 12, 11]);
  assertEquals(await find({ agentId: OTHER }), [16, 12]);
  assertEquals(await find({ finish: "error" }), [16, 14]);
  assertEquals(await find({ finish: "error", agentId: SHOP }), [14]);
  assertEquals(await find({ finish: "stop" }), [13, 12, 11]);
  assertEquals(await find({ minCost: 50_000 }), [16, 15, 13, 12]);
  assertEquals(await find({ minCost: 1_000_000 }), [16, 13]);
  assertEquals(await find({ minCost: 250_000, finish: "length" }), [15]);
  const now = runtime.now();
  assertEquals(await find({ from: now + 12, to: now + 15 }), [14, 13, 12]);
  assertEquals(await find({ minCost: 50_000, agentId: OTHER, to: now + 16 }), [12]);
});

Deno.test("searchConversations: a source finds its conversations, and none of early releases", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store, add, find, nameOf } = opened(kv);
  await add(11);
  await add(12, { source: "widget" });
  await add(13, { source: "playground", finishReason: "error" });
  await add(14, { source: "api", agentId: OTHER });
  await add(15, { source: "share" });
  // A conversation of an early release, continued.
  await add(11, { at: 16, source: "widget" });
  // The source is that of the first run.
  await add(12, { at: 17, source: "api" });
  assertEquals(await find({}), [12, 11, 15, 14, 13]);
  assertEquals(await find({ source: "widget" }), [12, 11]);
  assertEquals(await find({ source: "playground" }), [13]);
  assertEquals(await find({ source: "share" }), [15]);
  assertEquals(await find({ source: "api" }), [14]);
  assertEquals(await find({ source: "api", agentId: SHOP }), []);
  assertEquals(await find({ source: "playground", finish: "failed" }), [13]);
  await store.delete(nameOf(13));
  assertEquals(await find({ source: "playground" }), []);
});

Deno.test("searchConversations: a continued conversation is found once, at its latest position", async () => {
  using kv = await Deno.openKv(":memory:");
  const { add, find } = opened(kv);
  await add(11, { at: 1, finishReason: "error", cost: 200_000 });
  await add(12, { at: 2, finishReason: "error", cost: 60_000 });
  await add(11, { at: 3, finishReason: "error", cost: 100_000 });
  await add(11, { at: 4 });
  assertEquals(await find({ finish: "error" }, 1), [11, 12]);
  assertEquals(await find({ minCost: 50_000 }, 1), [11, 12]);
  assertEquals(await find({ minCost: 250_000 }), [11]);
});

Deno.test("searchConversations: a conversation with several kinds of failures is found once", async () => {
  using kv = await Deno.openKv(":memory:");
  const { runtime, add, find } = opened(kv);
  await add(11, { at: 1, finishReason: "error" });
  await add(12, { at: 2, finishReason: "interrupted" });
  await add(11, { at: 3, finishReason: "interrupted" });
  await add(13, { at: 4, finishReason: "cancelled" });
  assertEquals(await find({ finish: "failed" }, 1), [11, 12]);
  const now = runtime.now();
  assertEquals(await find({ finish: "failed", from: now, to: now + 3 }), [12, 11]);
  assertEquals(await find({ finish: "interrupted" }), [11, 12]);
});

Deno.test("searchConversations: deletion removes all tags; an ordinary conversation has none", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store, add, nameOf } = opened(kv);
  const marks = () => Array.fromAsync(kv.list({ prefix: ["conversations_by_mark"] }));
  await add(11);
  assertEquals((await marks()).length, 0);
  await add(11, { at: 20, finishReason: "timeout", cost: 500_000 });
  assertEquals((await marks()).length, 2);
  await store.delete(nameOf(11));
  assertEquals((await marks()).length, 0);
});

Deno.test("searchConversations: a search without matches stops at the limit of work and reports it", async () => {
  using memory = await Deno.openKv(":memory:");
  const { kv, take } = countingKv(memory);
  const { store, add } = opened(kv);
  for (let n = 1000; n < 1300; n++) await add(n);
  take();
  const search = { finish: "stop", minCost: 50_000 } as const;
  assertEquals(await store.search(TENANT, { search, limit: 20 }), { data: [], cutShort: false });
  const costly = { finish: "stop", agentId: SHOP, from: 1, minCost: undefined } as const;
  for (let n = 1000; n < 1300; n++) await add(n, { at: n + 1000, finishReason: "cancelled" });
  take();
  const found = await store.search(TENANT, { search: costly, limit: 20 });
  assertEquals([found.data, found.cutShort], [[], true]);
  assert((take().keysRead ?? 0) <= 200);
  const rest = await store.search(TENANT, { search: costly, limit: 20, after: found.next });
  assertEquals(rest, { data: [], cutShort: false });
});

Deno.test("searchConversations: another tenant's conversations are not found", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store, add } = opened(kv);
  await add(11, { finishReason: "error" });
  for (const search of [{}, { finish: "error" }, { agentId: SHOP }] as const) {
    const found = await store.search(fakeUuid(9), { search, limit: 20 });
    assertEquals(found, { data: [], cutShort: false });
  }
});
