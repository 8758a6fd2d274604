import { assert } from "@std/assert";
import { Committer } from "@/lib/committer/committer.ts";
import { ApiError } from "@/lib/errors.ts";
import { Admission } from "@/lib/limits/admission.ts";
import type { Caller } from "@/lib/limits/count_request.ts";
import type { RunRequest } from "@/lib/limits/decide_run.ts";
import { currentLedger, dayOf, type Ledger } from "@/lib/limits/ledger.ts";
import type { Limits } from "@/lib/limits/limits.ts";
import { keys } from "@/lib/storage/keys.ts";
import { realSystem, type System } from "@/lib/system.ts";
import { fakeUuid } from "@/tests/support/fake_system.ts";
import { RUN_END, runFacts, runRequest } from "@/tests/support/run_requests.ts";

export const NOON = Date.UTC(2026, 0, 2, 12);
export const TODAY = { now: NOON, period: dayOf(NOON) };
export const TENANT = fakeUuid(801);
export const AGENT = fakeUuid(901);

/** A standing clock; waits between tries pass at once, heartbeats never come. */
export const standing: System = {
  ...realSystem,
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
/** Counts a request of its own. */
export function count(admission: Admission, caller: Caller, limits: Limits) {
  return admission.countRequest({ id: counted++, caller, limits });
}

export function openAdmission(kv: Deno.Kv, system: System = standing): Admission {
  return new Admission(new Committer(kv, { system }), { system });
}

/** The scope of the limit that refused, or `admitted`. */
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

export async function ledgerOf(kv: Deno.Kv): Promise<Ledger> {
  const stored = (await kv.get<Ledger>(keys.tenantLedger(TENANT))).value ?? undefined;
  return currentLedger(stored, TODAY);
}

export async function valuesOf<T>(kv: Deno.Kv, prefix: Deno.KvKey): Promise<T[]> {
  return (await Array.fromAsync(kv.list<T>({ prefix }))).map(({ value }) => value);
}
