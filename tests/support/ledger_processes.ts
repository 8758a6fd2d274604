import { assertEquals } from "@std/assert";
import { outcome, request, settlement, tally, TENANT } from "./admissions.ts";
import { instantRuntime } from "./instant_runtime.ts";
import { OPEN_LIMITS } from "./run_requests.ts";
import { GroupCommitter } from "@/lib/store/tx/group_committer.ts";
import { type Runtime, systemRuntime } from "@/lib/platform/runtime.ts";
import { Admission } from "@/lib/billing/admission.ts";
import { HEARTBEAT_MS, type Ledger } from "@/lib/billing/ledger.ts";
import { ledgerShardKeys, LedgerShards } from "@/lib/billing/ledger_shards.ts";
import type { Limits } from "@/lib/billing/limits.ts";
import { NonRunCharges } from "@/lib/billing/non_run_charges.ts";

const NOON = Date.UTC(2026, 0, 2, 12);
export const LIMITS: Limits = { ...OPEN_LIMITS, streams: 10, hardDailyCost: 1_000 };

/** Processes on one store, whose clock a test moves. */
export function ledgerProcesses(kv: Deno.Kv) {
  const { runtime: time, advance } = instantRuntime(NOON);
  const runtime: Runtime = { ...systemRuntime, ...time };
  let n = 0;
  const open = (
    { ahead = 0, through = kv, onLost }: {
      ahead?: number;
      through?: Deno.Kv;
      onLost?: (runId: string) => void;
    } = {},
  ) => {
    const heartbeat = heartbeats(runtime);
    const own: Runtime = { ...runtime, now: () => runtime.now() + ahead };
    const committer = new GroupCommitter(through, { runtime: own });
    const shards = new LedgerShards(committer, own);
    const admission = new Admission(committer, {
      ...{ runtime: { ...own, sleep: heartbeat.sleep }, shards },
      ...onLost && { onLost },
    });
    const costs = new NonRunCharges(committer, {
      ...{ runtime: own, shards },
      limitsOf: () => Promise.resolve(LIMITS),
    });
    /** Starts a run and returns its number. */
    const begin = async (hold = 0, limits = LIMITS, least = hold) => {
      const run = n++;
      return [
        run,
        await outcome(admission.admit(request(run, { hold, minHold: least, limits }))),
      ] as const;
    };
    const end = (run: number, cost = 0) => admission.settle(`run-${run}`, settlement(cost));
    return { admission, shards, costs, begin, end, beat: heartbeat.beat };
  };
  return { runtime, open, advance };
}

/** Heartbeats that the test makes. */
function heartbeats({ sleep }: Pick<Runtime, "sleep">) {
  let wake = () => {};
  let onAsleep = () => {};
  return {
    sleep(ms: number, signal?: AbortSignal): Promise<void> {
      if (ms !== HEARTBEAT_MS) return sleep(ms, signal);
      onAsleep();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      wake = resolve;
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      return promise;
    },
    /** Resolves when the leases are renewed; the process must have runs. */
    beat(): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      onAsleep = resolve;
      wake();
      return promise;
    },
  };
}

export type Process = ReturnType<ReturnType<typeof ledgerProcesses>["open"]>;

/** Makes the processes conflict over the tenant's ledger until each has its own shard. */
export async function divide(processes: Process[], limits = LIMITS): Promise<void> {
  for (let round = 0; round < 4; round++) {
    for (const { begin, end } of processes) {
      const [run, told] = await begin(0, limits);
      assertEquals(told, "admitted");
      await end(run);
    }
    await Promise.all(processes.map(({ shards }) => shards.process.claim()));
  }
  const numbers = processes.map(({ shards }) => shards.keyOf(TENANT).join());
  assertEquals(new Set(numbers).size, processes.length);
}

export async function shardsOf(kv: Deno.Kv): Promise<Ledger[]> {
  const entries = await kv.getMany<Ledger[]>(ledgerShardKeys(TENANT));
  return entries.flatMap(({ value }) => value ?? []);
}

export const admittedOf = (outcomes: readonly (readonly [number, string])[]) =>
  tally(outcomes.map(([, told]) => told));
