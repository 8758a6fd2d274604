import { assert } from "@std/assert";
import { GroupCommitter } from "@/lib/store/tx/group_committer.ts";
import { Admission } from "@/lib/billing/admission.ts";
import { LedgerShards } from "@/lib/billing/ledger_shards.ts";
import type { Limits } from "@/lib/billing/limits.ts";
import { LimitError, type LimitRejection } from "@/lib/billing/limit_error.ts";
import type { Caller } from "@/lib/billing/request_windows.ts";
import { WindowShards } from "@/lib/billing/window_shards.ts";
import { type Runtime, systemRuntime } from "@/lib/platform/runtime.ts";
import { request, settlement, TENANT } from "./admissions.ts";
import { instantRuntime } from "./instant_runtime.ts";
import { seeded } from "./flaky_kv.ts";
import { OPEN_LIMITS } from "./run_requests.ts";

export const ADDRESS = "address-1";
/** A backend: one API key and one address. */
export const BACKEND: Caller = { address: ADDRESS, apiKey: { tenant: TENANT, id: "key-1" } };

/** Outcome of one request. */
export type Outcome = { rejected: LimitRejection } | "counted";

/** Processes on one store, with a clock that the test moves. */
export function windowProcesses(start = Date.UTC(2026, 0, 2, 12)) {
  const { runtime: time, advance } = instantRuntime(start);
  const random = seeded(start);
  const randomBytes = (length: number) => Uint8Array.from({ length }, () => random() * 256);
  let n = 0;
  /** `ahead` is the error of its clock in milliseconds. */
  const open = (kv: Deno.Kv, { ahead = 0 } = {}) => {
    const runtime: Runtime = {
      ...systemRuntime,
      ...time,
      randomBytes,
      now: () => time.now() + ahead,
    };
    const committer = new GroupCommitter(kv, { runtime });
    const shards = new LedgerShards(committer, runtime);
    const windows = new WindowShards(committer, { runtime, contended: shards.contended });
    const admission = new Admission(committer, { runtime, shards, windows });
    return {
      ...{ admission, shards, windows },
      ask: (limits: Limits, caller = BACKEND) =>
        outcomeOf(() => admission.requests.countRequest({ id: n++, caller, limits })),
      chat: (limits: Limits, caller = BACKEND) =>
        outcomeOf(async () => {
          const run = request(n++, { limits, caller });
          await admission.admit(run);
          await admission.settle(run.run.runId, settlement(0));
        }),
      resume: (limits: Limits) =>
        outcomeOf(() => admission.requests.countResume({ address: ADDRESS, id: n++, limits })),
    };
  };
  return { now: time.now, open, advance };
}

export type WindowProcess = ReturnType<ReturnType<typeof windowProcesses>["open"]>;

/** Makes the processes conflict over the backend's windows until each has its own shards. */
export async function divideWindows(processes: readonly WindowProcess[]): Promise<void> {
  for (let round = 0; round < 300 && !areDivided(processes); round++) {
    for (const { ask, shards } of processes) {
      await ask(OPEN_LIMITS);
      // A claim in progress.
      if (round > 10) await shards.process.claim();
    }
  }
  // The last one has no conflicts any more once all others have moved away.
  assert(areDivided(processes, { exceptOne: true }), "two processes count in one shard");
}

function areDivided(
  processes: readonly WindowProcess[],
  { exceptOne = false }: { exceptOne?: boolean } = {},
): boolean {
  const located = processes.map(({ windows }) => windows.assignShards(BACKEND).shards);
  const isAlone = new Set(located.map((shards) => shards?.address)).size === processes.length;
  return isAlone &&
    located.every((shards) => shards ? shards.key === shards.address : exceptOne);
}

async function outcomeOf(ask: () => Promise<unknown>): Promise<Outcome> {
  try {
    await ask();
    return "counted";
  } catch (error) {
    if (error instanceof LimitError) return { rejected: error.rejection };
    throw error;
  }
}

/** Number of counted requests, and of rejected ones per limit. */
export function tallyOf(outcomes: readonly Outcome[]): Record<string, number> {
  const names = outcomes.map((one) => one === "counted" ? one : one.rejected.scope);
  const groups = Map.groupBy(names, (name) => name);
  return Object.fromEntries([...groups].map(([name, all]) => [name, all.length]));
}
