import type { Admission } from "../billing/admission.ts";
import type { FailureDetector } from "../billing/failure_detector.ts";
import { findLease, type Lease, type Ledger } from "../billing/ledger.ts";
import { type Charge, combineSettleHooks, type SettleHook } from "../billing/decide_settlement.ts";
import { keys } from "../store/keys/keys.ts";
import { CorruptRecordError, parseRecord } from "../store/values/record.ts";
import { type ActiveRun, activeRunSchema } from "../store/runs/active_run.ts";
import { closedLog, type LogState } from "../store/runs/run_log_head.ts";
import type { RunLogStore } from "../store/runs/run_log_store.ts";
import type { Runtime } from "../platform/runtime.ts";
import { interruptedEnd, type RunFacts } from "../store/runs/run_record.ts";
import type { ConversationLog } from "./conversation_log.ts";
import { endRunLog } from "../store/runs/end_run_log.ts";

/** What ending the runs of others takes. */
export interface OrphanedRunDeps {
  kv: Deno.Kv;
  admission: Pick<Admission, "settleOrphaned">;
  runtime: Pick<Runtime, "now">;
  leases: FailureDetector;
  store: RunLogStore;
  conversations: Pick<ConversationLog, "findPending" | "settleHook">;
}

/** Ends the runs of processes that died: their account, their log, what was said in them. */
export class OrphanedRuns {
  readonly #parts: OrphanedRunDeps;

  constructor(parts: OrphanedRunDeps) {
    this.#parts = parts;
  }

  /** Settles a run of another process if that died; false when it had ended before. */
  async settleIfOrphaned(tenant: string, runId: string): Promise<boolean> {
    const { kv, leases } = this.#parts;
    const live = parseRecord(activeRunSchema, await kv.get(keys.activeRun(tenant, runId)));
    if (live === undefined) return false;
    const { value: ledger } = await kv.get<Ledger>(live.accounts[0]!.key);
    const lease = findLease(ledger ?? undefined, runId);
    if (leases.isDead(runId, lease)) await this.settle(live, lease);
    return true;
  }

  /** Settles a run that was found dead with this lease; answers what was charged. */
  async settle(live: ActiveRun, lease: Lease | undefined): Promise<Charge | undefined> {
    const { admission, conversations, store, runtime } = this.#parts;
    const end = interruptedEnd(live.run);
    const stored = await ignoreCorrupt(store.readAll(live.run));
    const log = interruptionHook(live.run, { now: runtime.now(), log: stored?.log });
    const conversation = await ignoreCorrupt(conversations.findPending(live));
    if (conversation === undefined) {
      return await admission.settleOrphaned(live, { lease, end, settleHook: log });
    }
    const ended = { facts: live.run, end, frames: stored?.frames ?? [] };
    const settleHook = combineSettleHooks([
      log,
      await conversations.settleHook(conversation, ended),
    ]);
    return await admission.settleOrphaned(live, { lease, end, settleHook });
  }
}

/** What no version of this code can have written must not keep a slot taken and money held for ever. */
async function ignoreCorrupt<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof CorruptRecordError) return undefined;
    throw error;
  }
}

/**
 * Ends the log of an orphaned run at `now` (milliseconds), with what is stored of it:
 * `log`, or what its record says where that cannot be read.
 */
export function interruptionHook(
  facts: RunFacts,
  { now, log: stored }: { now: number; log: LogState | undefined },
): SettleHook {
  return {
    keys: [],
    estimatedBytes: 10_240,
    write(draft) {
      const begun = draft.get<ActiveRun>(keys.activeRun(facts.tenant, facts.runId))?.log;
      if (begun === undefined) return;
      endRunLog(draft, { facts, log: stored ?? closedLog(begun), state: "interrupted", now });
    },
  };
}
