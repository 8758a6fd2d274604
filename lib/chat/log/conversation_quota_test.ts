/** Conversations stay within the plan: exact counts, the oldest deleted first, chats unaffected. */
import { assert, assertEquals } from "@std/assert";
import { frozenRuntime } from "@/tests/support/admissions.ts";
import { contentCipher } from "@/tests/support/content.ts";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { GroupCommitter } from "../../store/tx/group_committer.ts";
import { createLogger } from "../../platform/log.ts";
import { appendRun } from "../../store/conversations/append_run.ts";
import type { RunRow } from "../../store/conversations/conversation_record.ts";
import { ConversationStore } from "../../store/conversations/conversation_store.ts";
import {
  backfillRunUsage,
  type ConversationUsage,
  conversationUsageKey,
  readConversationUsage,
} from "../../store/conversations/conversation_usage.ts";
import { type ConversationName, keys } from "../../store/keys/keys.ts";
import { DEFAULT_PLAN, type Plan } from "../../store/tenants/tenant_store.ts";
import { ConversationQuota } from "./conversation_quota.ts";

const TENANT = fakeUuid(801);
const AGENT = fakeUuid(901);
const DAY_MS = 86_400_000;
const KIB = 1_024;

function nameOf(n: number): ConversationName {
  return { tenant: TENANT, id: fakeUuid(n), agentId: AGENT, page: "" };
}

/** Conversations of a tenant with these quotas. */
function open(kv: Deno.Kv, { quotas = {}, through = kv }: {
  quotas?: Plan["quotas"];
  through?: Deno.Kv;
} = {}) {
  const runtime = new FakeRuntime();
  const committer = new GroupCommitter(through, { runtime: frozenRuntime });
  const store = new ConversationStore(kv, { runtime, content: contentCipher() });
  const plan: Plan = { ...DEFAULT_PLAN, quotas };
  const noted: string[] = [];
  const space = new ConversationQuota({
    ...{ kv, runtime, store },
    log: createLogger({ level: "error", json: true, write: (line) => noted.push(line) }),
    tenants: { plan: () => Promise.resolve(plan) },
    alerts: { note: (_tenant, kind, { name }) => noted.push(`${kind} ${name}`) },
  });
  let runs = 0;
  /** Adds a run of so many bytes to conversation `n`. */
  const add = async (n: number, { bytes = 1_000, days = 30, shard = 0 } = {}) => {
    const endedAt = runtime.now();
    const row: Parameters<typeof appendRun>[1]["row"] = {
      ...{ runId: fakeUuid(10_000 + ++runs), agentVersion: 1, provider: "vendor_a", model: "mid" },
      ...{ startedAt: endedAt, endedAt, inputTokens: 1, outputTokens: 1, cost: 0 },
      finishReason: "stop",
      ...(shard > 0 && { shard }),
    };
    const parts = [new Uint8Array(bytes)];
    const run = {
      name: nameOf(n),
      days,
      row,
      digests: [],
      messages: 2,
      keyDigest: (digest: string) => digest,
      packTranscript: () => ({ chunks: parts, bytes, written: false }),
    };
    await committer.run({
      keys: [keys.conversation(run.name), conversationUsageKey(TENANT, endedAt, shard)],
      estimatedBytes: bytes,
      decide: (draft) => appendRun(draft, run),
    });
    space.recordStored(TENANT, bytes);
  };
  const usage = () => readConversationUsage(kv, { tenant: TENANT, now: runtime.now() });
  const left = async () => {
    const { data } = await store.list(TENANT, { limit: 100 });
    return data.map(({ id }) => Number(id.slice(-6))).sort((a, b) => a - b);
  };
  return { runtime, store, space, plan, noted, add, usage, left };
}

/** Usage as found by scanning the runs. */
async function scanned(kv: Deno.Kv): Promise<ConversationUsage> {
  const sum = { runs: 0, bytes: 0 };
  for await (const { value } of kv.list<RunRow>({ prefix: keys.tenantConversationRuns(TENANT) })) {
    sum.runs++;
    sum.bytes += value.bytes + KIB;
  }
  return sum;
}

Deno.test("ConversationQuota: beyond the plan's bytes, the least recently active conversations are deleted", async () => {
  using kv = await Deno.openKv(":memory:");
  const world = open(kv, { quotas: { conversationBytes: 20 * KIB } });
  const { runtime, space, add, usage, left, noted } = world;
  for (let n = 1; n <= 12; n++) {
    await add(n, { bytes: KIB });
    await runtime.advance(1_000);
  }
  // The first one is active again, so it is no longer the oldest.
  await add(1, { bytes: KIB });
  assert(space.hasCapacity(TENANT));
  await space.enforceAll();
  assertEquals(await left(), [1, 5, 6, 7, 8, 9, 10, 11, 12]);
  assertEquals(await usage(), { runs: 10, bytes: 20 * KIB });
  assertEquals(await scanned(kv), await usage());
  assertEquals(noted, ["conversations_full deleted"]);
  await space.close();
});

Deno.test("ConversationQuota: the number of runs is limited too, and nothing is deleted within the quota", async () => {
  for (const [conversationRuns, expected] of [[3, 3], [100, 8]] as const) {
    using kv = await Deno.openKv(":memory:");
    const { runtime, space, add, left, noted } = open(kv, { quotas: { conversationRuns } });
    for (let n = 1; n <= 8; n++) {
      await add(n);
      await runtime.advance(1_000);
    }
    await space.enforceAll();
    assertEquals((await left()).length, expected);
    assertEquals(noted.length, expected === 8 ? 0 : 1);
    await space.close();
  }
});

Deno.test("ConversationQuota: a flood that outruns deletion is not stored until the next trim", async () => {
  using kv = await Deno.openKv(":memory:");
  const world = open(kv, { quotas: { conversationBytes: 100 * KIB } });
  const { space, add, noted } = world;
  await add(1, { bytes: 10 * KIB });
  await space.enforceAll();
  assert(space.hasCapacity(TENANT));
  for (let n = 2; n <= 12; n++) space.recordStored(TENANT, 10 * KIB);
  assert(!space.hasCapacity(TENANT), "115 of 100 KiB are known to be stored");
  assert(noted.includes("conversations_full not_stored"));
  await space.enforceAll();
  assert(space.hasCapacity(TENANT));
  await space.close();
});

Deno.test("readConversationUsage: expired runs no longer count, each after its own retention", async () => {
  using kv = await Deno.openKv(":memory:");
  const { runtime, add, usage, space } = open(kv);
  await add(1, { bytes: KIB, days: 2 });
  await add(2, { bytes: KIB, days: 30 });
  await runtime.advance(DAY_MS);
  await add(3, { bytes: KIB, days: 2 });
  assertEquals(await usage(), { runs: 3, bytes: 6 * KIB });
  await runtime.advance(2 * DAY_MS);
  assertEquals((await usage()).runs, 2);
  await runtime.advance(DAY_MS);
  assertEquals((await usage()).runs, 1);
  await runtime.advance(30 * DAY_MS);
  assertEquals(await usage(), { runs: 0, bytes: 0 });
  await space.close();
});

for (const seed of [1, 2, 3]) {
  Deno.test(`conversations: after concurrent random runs and deletions, the count equals a scan (seed ${seed})`, async () => {
    using kv = await Deno.openKv(":memory:");
    const random = seeded(seed);
    const through = flakyKv(kv, { random, locked: 0.1, turns: 5 }).kv;
    const { store, add, usage, space } = open(kv, { through });
    for (let round = 0; round < 6; round++) {
      await Promise.all(Array.from({ length: 20 }, async () => {
        const n = 1 + Math.floor(random() * 6);
        const shard = Math.floor(random() * 3);
        if (random() < 0.8) await add(n, { bytes: Math.floor(random() * 30_000), shard });
        else await store.delete(nameOf(n));
      }));
      assertEquals(await usage(), await scanned(kv));
    }
    await space.close();
  });
}

Deno.test("backfillRunUsage: runs from before counting are counted once, despite crashes and deletions", async () => {
  using kv = await Deno.openKv(":memory:");
  const { runtime, store, add, usage, space } = open(kv);
  for (let n = 1; n <= 10; n++) await add(n, { bytes: 100 * n });
  const expected = await usage();
  for await (const { key, value } of kv.list<RunRow>({ prefix: ["conversation_runs"] })) {
    const { counted: _, ...row } = value;
    await kv.set(key, row);
  }
  await kv.delete(conversationUsageKey(TENANT, runtime.now()));
  // The process ends halfway.
  let left = 9;
  const dying = new Proxy(kv, {
    get(target, name) {
      if (name === "atomic" && --left < 0) throw new Error("the process has ended");
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const asked = { tenant: TENANT, now: runtime.now() };
  await backfillRunUsage(dying, asked).catch(() => {});
  assertEquals((await usage()).runs, 9);
  await store.delete(nameOf(10));
  await store.delete(nameOf(9));
  await store.delete(nameOf(1));
  await Promise.all([backfillRunUsage(kv, asked), backfillRunUsage(kv, asked)]);
  assertEquals(await usage(), await scanned(kv));
  assertEquals(await usage(), { runs: 7, bytes: expected.bytes - 2_000 - 3 * KIB });
  await add(11);
  assertEquals((await usage()).runs, 8);
  await space.close();
});
