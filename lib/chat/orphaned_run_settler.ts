import type { Admission } from "../billing/admission.ts";
import type { FailureDetector } from "../billing/failure_detector.ts";
import { findLease, type Lease, type Ledger } from "../billing/ledger.ts";
import { type Charge, combineSettleHooks, type SettleHook } from "../billing/decide_settlement.ts";
import { keys } from "../store/keys/keys.ts";
import { CorruptRecordError, parseRecord } from "../store/values/record.ts";
import { type ActiveRun, activeRunSchema } from "../store/runs/active_run.ts";
import { closedLog, type LogState } from "../store/runs/run_log_head.ts";
import { endRunLog, type RunLogStore } from "../store/runs/run_log_store.ts";
import type { Runtime } from "../platform/runtime.ts";
import { interruptedEnd, type RunFacts } from "../store/runs/run_record.ts";
import type { ConversationLog } from "./conversation_log.ts";
import type { RunInputStore } from "./run_input.ts";

export interface OrphanedRunSettlerDeps {
  kv: Deno.Kv;
  admission: Pick<Admission, "settleOrphaned">;
  runtime: Pick<Runtime, "now">;
  leases: FailureDetector;
  store: RunLogStore;
  inputs: Pick<RunInputStore, "find">;
  conversations: Pick<ConversationLog, "settleHook">;
}

/** Settles the runs of processes that died: their charge, their log, their conversation. */
export class OrphanedRunSettler {
  readonly #deps: OrphanedRunSettlerDeps;

  constructor(deps: OrphanedRunSettlerDeps) {
    this.#deps = deps;
  }

  /** Settles a run of another process if that died; false if the run is no longer active. */
  async settleIfOrphaned(tenant: string, runId: string): Promise<boolean> {
    const { kv, leases } = this.#deps;
    const active = parseRecord(activeRunSchema, await kv.get(keys.activeRun(tenant, runId)));
    if (active === undefined) return false;
    const { value: ledger } = await kv.get<Ledger>(active.accounts[0]!.key);
    const lease = findLease(ledger ?? undefined, runId);
    if (leases.isDead(runId, lease)) await this.settle(active, lease);
    return true;
  }

  /** Settles a run whose lease has expired. Returns what was charged. */
  async settle(active: ActiveRun, lease: Lease | undefined): Promise<Charge | undefined> {
    const { admission, conversations, inputs, store, runtime } = this.#deps;
    const { run: facts } = active;
    const end = interruptedEnd(facts);
    const stored = await ignoreCorrupt(store.readAll(facts));
    const hooks = [interruptionHook(facts, { now: runtime.now(), log: stored?.log })];
    const conversation = await ignoreCorrupt(inputs.find(active));
    if (conversation !== undefined) {
      const ended = { facts, end, frames: stored?.frames ?? [] };
      hooks.push(await conversations.settleHook(conversation, ended));
    }
    return await admission.settleOrphaned(active, {
      lease,
      end,
      settleHook: combineSettleHooks(hooks),
    });
  }
}

/** A corrupt record must not block a slot and reserve money forever. */
async function ignoreCorrupt<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof CorruptRecordError) return undefined;
    throw error;
  }
}

/**
 * Ends the log of an orphaned run at `now` (milliseconds) after what is stored of it: `log`, or what its
 * record says if that cannot be read.
 */
export function interruptionHook(
  facts: RunFacts,
  { now, log: stored }: { now: number; log: LogState | undefined },
): SettleHook {
  return {
    keys: [],
    estimatedBytes: 10_240,
    write(transaction) {
      const begun = transaction.get<ActiveRun>(keys.activeRun(facts.tenant, facts.runId))?.log;
      if (begun === undefined) return;
      endRunLog(transaction, { facts, log: stored ?? closedLog(begun), state: "interrupted", now });
    },
  };
}
