import { assertEquals } from "@std/assert";
import { fakeUuid } from "@/tests/support/fake_system.ts";
import type { Draft } from "../committer/operation.ts";
import type { RunRecord } from "./run_record.ts";
import { addToUsage, type UsageRow } from "./usage_rows.ts";

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
  } as unknown as Draft;
  // As long as names may be, and of characters that take two bytes each.
  for (let n = 0; n < 300; n++) addToUsage(draft, KEY, runOf(String(n).padStart(256, "\u6a21")));
  await kv.set(KEY, row);
  const sums = Object.values(row.models);
  assertEquals(sums.reduce((sum, { runs }) => sum + runs, 0), 300);
  assertEquals(row.models["vendor_a/(other models)"]?.runs, 203);
});
