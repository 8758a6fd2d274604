import { assert, assertEquals } from "@std/assert";
import { contentCipher } from "@/tests/support/content.ts";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { storedKeys } from "@/tests/support/store.ts";
import { appendRun } from "../conversations/append_run.ts";
import { ConversationStore } from "../conversations/conversation_store.ts";
import { conversationUsageKey } from "../conversations/conversation_usage.ts";
import type { ConversationSearch } from "../conversations/conversation_search.ts";
import type { ContentCipher } from "../encryption/content_cipher.ts";
import { keys } from "../keys/keys.ts";
import { overrideKv } from "../kv/override_kv.ts";
import { GroupCommitter } from "../tx/group_committer.ts";
import type { MatchCursor } from "./search_index.ts";
import { SearchIndexing, termHasher } from "./search_indexing.ts";
import { packSegment } from "./search_segment.ts";
import { searchTranscripts } from "./search_transcripts.ts";

const TENANT = fakeUuid(1);
const [SHOP, OTHER] = [fakeUuid(2), fakeUuid(3)];
const WEEK = 7;

function opened(kv: Deno.Kv, { content = contentCipher() }: { content?: ContentCipher } = {}) {
  const runtime = new FakeRuntime();
  const committer = new GroupCommitter(kv, { runtime });
  const conversations = new ConversationStore(kv, { runtime, content });
  const indexing = new SearchIndexing(kv, { runtime, content, conversations });
  let run = 10_000;
  const nameOf = (n: number, { tenant = TENANT, agentId = SHOP } = {}) => ({
    ...{ tenant, id: fakeUuid(n), agentId, page: "" },
  });
  /** A run of conversation `n`, a second after the last one. */
  const say = async (
    n: number,
    question: string,
    { answer = "Certainly.", ...of }: { answer?: string; tenant?: string; agentId?: string } = {},
  ) => {
    await runtime.advance(1_000);
    const name = nameOf(n, of);
    const runId = fakeUuid(++run);
    const words = {
      messages: [{ role: "user", content: question, claimed: false }],
      text: answer,
      tools: [],
    };
    const plain = new TextEncoder().encode(JSON.stringify(words));
    const sealed = content.sealSync(plain, ["conversation_parts", name.tenant, runId, 0]);
    const endedAt = runtime.now();
    await committer.run({
      keys: [keys.conversation(name), conversationUsageKey(name.tenant, endedAt)],
      decide: (tx) =>
        appendRun(tx, {
          ...{ name, days: WEEK, digests: [], messages: 2, keyDigest: (digest) => digest },
          row: {
            ...{ runId, agentVersion: 1, provider: "vendor_a", model: "mid" },
            ...{ startedAt: endedAt, endedAt, inputTokens: 1, outputTokens: 1, cost: 0 },
            finishReason: "stop",
          },
          packTranscript: () => ({ chunks: [sealed], bytes: plain.length, written: false }),
        }),
    });
  };
  const index = async (tenant = TENANT) => {
    while (await indexing.step(tenant));
  };
  /** The numbers of the conversations found, in pages of three. */
  const find = async (query: string, search: ConversationSearch = {}, tenant = TENANT) => {
    const found: number[] = [];
    let after: MatchCursor | undefined;
    do {
      const page = await searchTranscripts(kv, {
        ...{ tenant, query, search, limit: 3, after, now: runtime.now(), content, conversations },
      });
      found.push(...page.data.map(({ conversation }) => Number(conversation.id.slice(-6))));
      after = page.next;
    } while (after !== undefined);
    return found;
  };
  /** Another process. */
  const second = new SearchIndexing(kv, { runtime, content, conversations });
  const other = async () => {
    while (await second.step(TENANT));
  };
  return { runtime, conversations, say, index, other, find, nameOf };
}

Deno.test("searchTranscripts: finds all words of a query, in questions and answers, latest first", async () => {
  using kv = await Deno.openKv(":memory:");
  const { say, index, find } = opened(kv);
  await say(11, "Where is my parcel?", { answer: "It left Zürich." });
  await say(12, "A refund for two PARCELS, please", { agentId: OTHER });
  await say(11, "Can I have a refund?");
  await say(13, "荷物はどこですか");
  await index();
  assertEquals(await find("parcel"), [12, 11]);
  assertEquals(await find("zurich"), [11]);
  assertEquals(await find("refund parcel"), [12]);
  assertEquals(await find("refund"), [11, 12]);
  assertEquals(await find("refund", { agentId: OTHER }), [12]);
  assertEquals(await find("荷物"), [13]);
  assertEquals(await find("invoice"), []);
  assertEquals(await find("  ?!  "), []);
});

Deno.test("searchTranscripts: finds runs in segments and new ones, each once, also after deletions", async () => {
  using kv = await Deno.openKv(":memory:");
  const { say, index, find, conversations, nameOf } = opened(kv);
  const wanted: number[] = [];
  for (let n = 1; n <= 600; n++) {
    if (n % 60 === 0) wanted.unshift(n);
    await say(n, n % 60 === 0 ? `the rare tulip number ${n}` : `an ordinary rose number ${n}`);
  }
  await index();
  const segments = await Array.fromAsync(kv.list({ prefix: ["search_segments"] }));
  assertEquals(segments.length, 2);
  assertEquals(await find("tulip"), wanted);
  assertEquals((await find("number")).length, 600);
  await conversations.delete(nameOf(120));
  await conversations.delete(nameOf(600));
  assertEquals(await find("tulip"), wanted.filter((n) => n !== 120 && n !== 600));
  assertEquals((await find("number")).length, 598);
});

Deno.test("searchTranscripts: deleted conversations leave nothing in the index, whole or partly merged", async () => {
  using kv = await Deno.openKv(":memory:");
  const { say, index, conversations, nameOf } = opened(kv);
  await say(11, "one word");
  await index();
  await conversations.delete(nameOf(11));
  assertEquals(await storedKeys(kv), []);
  for (let n = 1; n <= 300; n++) await say(50 + n % 3, `message ${n}`);
  await index();
  for (const n of [50, 51]) await conversations.delete(nameOf(n));
  const left = (await storedKeys(kv)).join("\n");
  assert(!left.includes(fakeUuid(50)) && !left.includes(fakeUuid(51)));
  const values = await Array.fromAsync(
    kv.list<{ runs: unknown[] }>({ prefix: ["search_segments"] }),
  );
  assert(values.every(({ value }) => !JSON.stringify(value).includes(fakeUuid(51))));
  await conversations.delete(nameOf(52));
  assertEquals(await storedKeys(kv), []);
});

Deno.test("SearchIndexing: two processes and a deletion at the same time index each run once", async () => {
  using kv = await Deno.openKv(":memory:");
  const { say, index, find, conversations, nameOf, other } = opened(kv);
  for (let n = 1; n <= 320; n++) await say(100 + n % 40, `a tulip, number ${n}`);
  const passes = async () => {
    // A pass that another process overtook ends; both go on until nothing is new.
    for (let n = 0; n < 20; n++) await Promise.all([index(), other()]);
  };
  await Promise.all([
    passes(),
    conversations.delete(nameOf(107)),
    conversations.delete(nameOf(120)),
  ]);
  await passes();
  const found = await find("tulip");
  assertEquals(found.length, 304);
  assert(!found.includes(107) && !found.includes(120));
  for (let n = 0; n < 40; n++) await conversations.delete(nameOf(100 + n));
  assertEquals(await storedKeys(kv), []);
});

Deno.test("SearchIndexing: no word is stored in clear, and tenants have different hashes", async () => {
  using kv = await Deno.openKv(":memory:");
  const { say, index, find } = opened(kv);
  const other = fakeUuid(9);
  await say(11, "xylophone");
  await say(12, "xylophone", { tenant: other });
  await index();
  await index(other);
  assertEquals([await find("xylophone"), await find("xylophone", {}, other)], [[11], [12]]);
  const terms: string[] = [];
  for await (
    const { key, value } of kv.list<{ terms: Uint8Array }>({ prefix: ["search_recent"] })
  ) {
    assert(!JSON.stringify([key, value]).includes("xylo"));
    assert(!new TextDecoder().decode(value.terms).includes("xylo"));
    terms.push(String(value.terms));
  }
  assertEquals(new Set(terms).size, 2);
});

Deno.test("SearchIndexing: with another key of hashes, the index starts again", async () => {
  using kv = await Deno.openKv(":memory:");
  const first = opened(kv);
  await first.say(11, "a lost umbrella");
  await first.index();
  const digestKey = new Uint8Array(32).fill(2);
  const second = opened(kv, { content: contentCipher({ digestKey } as never) });
  await second.index();
  assertEquals(await second.find("umbrella"), [11]);
  assertEquals((await storedKeys(kv)).filter((key) => key.startsWith("search_recent")).length, 1);
});

Deno.test("searchTranscripts: expired runs are not found", async () => {
  using kv = await Deno.openKv(":memory:");
  const { say, index, find, runtime } = opened(kv);
  await say(11, "an old umbrella");
  await index();
  await runtime.advance(WEEK * 86_400_000);
  assertEquals(await find("umbrella"), []);
});

Deno.test("SearchIndexing: a run that is indexed while its conversation is deleted leaves no word", async () => {
  using kv = await Deno.openKv(":memory:");
  const { runtime, say, index, other, nameOf } = opened(kv);
  for (let n = 1; n <= 300; n++) await say(11, `message ${n}`);
  await index();
  // Between the index and the rows, another process indexes what it still finds.
  let isDue = true;
  const deleting = overrideKv(kv, {
    delete: async (key: Deno.KvKey) => {
      if (isDue && key[0] === "runs") {
        isDue = false;
        await other();
      }
      return await kv.delete(key);
    },
  });
  const conversations = new ConversationStore(deleting, { runtime, content: contentCipher() });
  await conversations.delete(nameOf(11));
  assert(!isDue);
  assertEquals(await storedKeys(kv), []);
});

Deno.test("searchTranscripts: stops after 40 segments, and the next page continues there", async () => {
  using kv = await Deno.openKv(":memory:");
  const content = contentCipher();
  const hash = termHasher(content, TENANT)("tulip");
  for (let segment = 0; segment < 50; segment++) {
    const run = { runId: fakeUuid(segment + 1), id: fakeUuid(1), agentId: SHOP, page: "" };
    const place = { n: 0, at: segment, exp: 1_000_000_000 };
    await kv.set(keys.searchSegment(TENANT, segment), { v: 1, runs: [{ ...run, ...place }] });
    const [[bucket, postings] = [0, new Uint8Array()]] = packSegment([[hash]]);
    await kv.set(keys.searchBucket(TENANT, bucket, segment), { v: 1, postings });
  }
  const conversations = new ConversationStore(kv, { runtime: new FakeRuntime(), content });
  const page = (after?: MatchCursor) =>
    searchTranscripts(kv, {
      ...{ tenant: TENANT, query: "tulip", search: { agentId: OTHER }, limit: 3, after, now: 0 },
      ...{ content, conversations },
    });
  const first = await page();
  assertEquals([first.data, first.next?.[2], first.cutShort], [[], 10, true]);
  assertEquals(await page(first.next), { data: [], cutShort: false });
});
