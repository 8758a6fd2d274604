import { assertEquals, assertThrows } from "@std/assert";
import { fakeUuid } from "@/tests/support/fake_runtime.ts";
import type { Transaction } from "../store/tx/operation.ts";
import { keys } from "../store/keys/keys.ts";
import type { Ledger } from "./ledger.ts";
import { dayOf } from "../platform/utc_day.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { decideSettlement, type Settlement, settlementKeys } from "./decide_settlement.ts";

const NOON = Date.UTC(2026, 0, 2, 12);
const TENANT = fakeUuid(801);
const LEDGER: Ledger = {
  v: 1,
  period: dayOf(NOON),
  spent: 0,
  runs: { "run-1": { until: NOON + 1, hold: 50 } },
};

function settlementOf(change: { cost?: number; inputTokens?: number }): Settlement {
  const { cost = 10, inputTokens = 1 } = change;
  const named = { provider: "vendor_a", model: "mid" } as const;
  const run = {
    runId: "run-1",
    tenant: TENANT,
    agentId: fakeUuid(901),
    agentVersion: 1,
    conversationId: fakeUuid(700),
    source: { kind: "key", id: fakeUuid(600) } as const,
    startedAt: NOON,
    ...named,
  };
  return {
    activeRun: { v: 1, run, accounts: [{ kind: "tenant", key: keys.tenantLedger(TENANT) }] },
    end: { ...named, steps: 1, toolCalls: 0, inputTokens, outputTokens: 1, finishReason: "stop" },
    cost,
    ceiling: 1_000,
    limits: DEFAULT_LIMITS,
    now: NOON,
  };
}

/** A transaction on the ledger only. */
const tx: Transaction = {
  get: <T>(key: Deno.KvKey) => (key[0] === "tenant_ledgers" ? LEDGER : undefined) as T | undefined,
  set: () => {},
  update: () => {},
  delete: () => {},
  blindWrite: () => {},
  create: () => {},
};

Deno.test("decideSettlement: an invalid amount of money or tokens is never written", () => {
  assertEquals(decideSettlement(tx, settlementOf({})), { charged: 10, excess: 0 });
  for (const cost of [NaN, Infinity, -Infinity, -1, 0.5]) {
    assertThrows(() => decideSettlement(tx, settlementOf({ cost })), Error, "", String(cost));
  }
  for (const inputTokens of [NaN, -1, 1.5, 2 ** 60]) {
    assertThrows(() => decideSettlement(tx, settlementOf({ inputTokens })));
  }
});

Deno.test("settlementKeys: at most 10, whatever limits a run has", () => {
  const { activeRun, ...settlement } = settlementOf({});
  const key = (name: string) => [name, TENANT, "x"];
  const accounts = [
    ...activeRun.accounts,
    { kind: "session" as const, key: key("session_ledgers") },
    { kind: "address" as const, key: key("address_ledgers") },
  ];
  const run = { ...activeRun.run, visitor: "hash" };
  const hook = { keys: [key("conversations"), key("storage_usage")], estimatedBytes: 0 };
  const most = {
    ...settlement,
    activeRun: { ...activeRun, run, accounts },
    settleHook: { ...hook, write: () => {} },
  };
  const used = { ...most, exceedsHold: true, forgetKey: key("chat_receipts") };
  assertEquals(settlementKeys(used).length, 10);
  assertEquals(settlementKeys({ ...most, cost: undefined, limits: undefined }).length, 9);
});
