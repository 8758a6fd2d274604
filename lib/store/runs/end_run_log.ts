import type { Transaction } from "../tx/operation.ts";
import { keys } from "../keys/keys.ts";
import type { ActiveRun } from "./active_run.ts";
import { LOG_TTL_MS, type LogState } from "./run_log_head.ts";
import { toRunLogHead } from "./frame_reader.ts";
import type { RunFacts } from "./run_record.ts";

/**
 * Ends a run's log as part of settling the run, and keeps the log after the run's record is gone. Later
 * steps of the same settlement read the ended log from the draft.
 */
export function endRunLog(
  draft: Transaction,
  { facts, log, state, now }: {
    facts: RunFacts;
    log: LogState;
    state: "done" | "interrupted";
    now: number;
  },
): void {
  const { tenant, runId } = facts;
  const key = keys.activeRun(tenant, runId);
  draft.set(key, { ...draft.get<ActiveRun>(key), log });
  const head = toRunLogHead(facts, log, { state, exp: now + LOG_TTL_MS });
  draft.blindWrite(keys.runLogHead(tenant, runId), head, { expireIn: 2 * LOG_TTL_MS });
}
