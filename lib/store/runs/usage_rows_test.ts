import { assertEquals } from "@std/assert";
import { fakeUuid } from "@/tests/support/fake_runtime.ts";
import type { Transaction } from "../tx/operation.ts";
import type { RunRecord } from "./run_record.ts";
import { addToUsage, sumUsage, type UsageRow, usageShares } from "./usage_rows.ts";

const KEY = ["usage_rows", "tenant"];

function runOf(model: string): RunRecord {
  return {
    v: 1,
    runId: fakeUuid(1),
    tenant: fakeUuid(2),
    agentId: fakeUuid(3),
    agentVersion: 1,
    conversationId: fakeUuid(4),
    source: { kind: "key", id: fakeUuid(5) },
    provider: "vendor_a",
    model,
    startedAt: 0,
    endedAt: 1,
    steps: 1,
    toolCalls: 0,
    inputTokens: 2 ** 40,
    outputTokens: 2 ** 40,
    cachedInputTokens: 2 ** 40,
    cacheWriteTokens: 2 ** 40,
    reasoningTokens: 2 ** 40,
    cacheSavings: -(2 ** 40),
    finishReason: "stop",
    cost: 2 ** 40,
    excess: 0,
  };
}

Deno.test("addToUsage: a row of however many models fits into the store, and sums all of them", async () => {
  using kv = await Deno.openKv(":memory:");
  let row: UsageRow = { v: 1, models: {} };
  const draft = {
    get: () => row,
    set: (_key: Deno.KvKey, value: unknown) => row = value as UsageRow,
  } as unknown as Transaction;
  // The longest names, of characters that take two bytes each.
  for (let n = 0; n < 300; n++) addToUsage(draft, KEY, runOf(String(n).padStart(256, "\u6a21")));
  await kv.set(KEY, row);
  const sums = Object.values(row.models);
  assertEquals(sums.reduce((sum, { runs }) => sum + runs, 0), 300);
  assertEquals(row.models["vendor_a/(other models)"]?.runs, 213);
});

const share = { steps: 1, inputTokens: 10, outputTokens: 1 };
const FIRST = { ...share, provider: "vendor_a" as const, model: "a", cost: 70 };
const LATER = { ...share, provider: "vendor_b" as const, model: "b", cost: 50 };

function sharesOf(change: Partial<RunRecord>) {
  const shares = usageShares({
    v: 1,
    runId: fakeUuid(1),
    tenant: fakeUuid(2),
    agentId: fakeUuid(3),
    agentVersion: 1,
    conversationId: fakeUuid(4),
    source: { kind: "key", id: fakeUuid(5) },
    provider: "vendor_a",
    model: "a",
    startedAt: 0,
    endedAt: 1,
    steps: 2,
    toolCalls: 0,
    inputTokens: 20,
    outputTokens: 2,
    finishReason: "stop",
    cost: 120,
    excess: 0,
    ...change,
  });
  return shares.map(({ model, runs, inputTokens, cost }) => [model, runs, inputTokens, cost]);
}

Deno.test("usageShares: a run of one model is that model's whole", () => {
  assertEquals(sharesOf({}), [["a", 1, 20, 120]]);
});

Deno.test("usageShares: each of several models has its own part, and the run counts once", () => {
  assertEquals(sharesOf({ models: [FIRST, LATER] }), [["a", 1, 10, 70], ["b", 0, 10, 50]]);
  const named = { provider: "vendor_b", model: "b" } as const;
  assertEquals(sharesOf({ ...named, models: [FIRST, LATER] }), [["a", 0, 10, 70], [
    "b",
    1,
    10,
    50,
  ]]);
});

Deno.test("usageShares: the shares add up to the charge, even if a limit reduced it", () => {
  assertEquals(sharesOf({ models: [FIRST, LATER], cost: 90, excess: 30 }), [
    ["a", 1, 10, 70],
    ["b", 0, 10, 20],
  ]);
});

Deno.test("usageShares: a model that was named and used nothing still has its run", () => {
  const named = { provider: "vendor_c", model: "c" } as const;
  assertEquals(sharesOf({ ...named, models: [FIRST, LATER] }).at(-1), ["c", 1, 0, 0]);
});

Deno.test("sumUsage: parts that are 0 are absent, and rows of early releases have none", () => {
  const early = { runs: 1, failed: 0, inputTokens: 10, outputTokens: 1, cost: 5 };
  const cached = { ...early, cachedInputTokens: 8, cacheSavings: -3 };
  assertEquals(sumUsage(early, early), {
    ...{ runs: 2, failed: 0, inputTokens: 20, outputTokens: 2, cost: 10 },
  });
  const { cachedInputTokens, cacheSavings } = sumUsage(cached, cached);
  assertEquals([cachedInputTokens, cacheSavings], [16, -6]);
  assertEquals("cacheSavings" in sumUsage(cached, { ...early, cacheSavings: 3 }), false);
});
