import { assert } from "@std/assert";
import { GroupCommitter } from "@/lib/store/tx/group_committer.ts";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { Admission } from "@/lib/billing/admission.ts";
import type { RunRequest } from "@/lib/billing/decide_run.ts";
import { createSnapshot, mergeShards } from "@/lib/billing/ledger_division.ts";
import type { Ledger } from "@/lib/billing/ledger.ts";
import { dayOf } from "@/lib/platform/utc_day.ts";
import { ledgerShardKeys } from "@/lib/billing/ledger_shards.ts";
import type { Limits } from "@/lib/billing/limits.ts";
import type { Caller } from "@/lib/billing/request_windows.ts";
import { type Runtime, systemRuntime } from "@/lib/platform/runtime.ts";
import { NO_USAGE, sumUsage, type Usage, type UsageRow } from "@/lib/store/runs/usage_rows.ts";
import { fakeUuid } from "@/tests/support/fake_runtime.ts";
import { RUN_END, runFacts, runRequest } from "@/tests/support/run_requests.ts";

export const NOON = Date.UTC(2026, 0, 2, 12);
export const TODAY = { now: NOON, period: dayOf(NOON) };
export const TENANT = fakeUuid(801);
export const AGENT = fakeUuid(901);

/** A frozen clock: pauses between attempts end immediately, heartbeats never fire. */
export const frozenRuntime: Runtime = {
  ...systemRuntime,
  now: () => NOON,
  sleep: (ms, signal) => ms < 1_000 ? Promise.resolve() : untilAborted(signal),
};

function untilAborted(signal?: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Runs of a widget session. */
export const facts = (n: number) => runFacts(n, { source: { kind: "session", id: fakeUuid(600) } });

export const settlement = (cost: number) => ({ end: RUN_END, cost, ceiling: 1e9 });

export const request = (n: number, change: Partial<RunRequest> = {}) =>
  runRequest(n, { run: facts(n), ...change });

let counted = 1_000_000;
/** Counts one new request. */
export function count(admission: Admission, caller: Caller, limits: Limits) {
  return admission.requests.countRequest({ id: counted++, caller, limits });
}

export function openAdmission(kv: Deno.Kv, runtime: Runtime = frozenRuntime): Admission {
  return new Admission(new GroupCommitter(kv, { runtime }), { runtime });
}

/** The scope of the limit that rejected, or `admitted`. */
export async function outcome(admitted: Promise<unknown>): Promise<string> {
  try {
    const told = await admitted as { kind?: string };
    return told.kind ?? "admitted";
  } catch (error) {
    assert(error instanceof ApiError, String(error));
    return String(error.details?.scope);
  }
}

export function tally(outcomes: string[]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy(outcomes, (one) => one)].map(([name, all]) => [name, all.length]),
  );
}

/** A tenant's ledger, merged from its shards. */
export async function ledgerOf(kv: Deno.Kv, tenant: string = TENANT): Promise<Ledger> {
  const stored = await kv.getMany<Ledger[]>(ledgerShardKeys(tenant));
  const shards = stored.map(({ value }) => value ?? undefined);
  return mergeShards(createSnapshot(undefined, shards, NOON));
}

/** The usage of one model, summed over all rows and shards. */
export async function usageOf(kv: Deno.Kv, model = "vendor_a/mid"): Promise<Usage> {
  const rows = await valuesOf<UsageRow>(kv, ["usage_rows"]);
  return rows.map(({ models }) => models[model] ?? NO_USAGE).reduce(sumUsage, NO_USAGE);
}

export async function valuesOf<T>(kv: Deno.Kv, prefix: Deno.KvKey): Promise<T[]> {
  return (await Array.fromAsync(kv.list<T>({ prefix }))).map(({ value }) => value);
}
