import type { Draft } from "../committer/operation.ts";
import { keys } from "../storage/keys.ts";
import type { ActiveRun } from "../storage/live_run.ts";
import { LOG_TTL_MS, type LogState } from "../storage/run_head.ts";
import { toRunLogHead } from "../storage/run_log_store.ts";
import type { RunFacts } from "../usage/run_record.ts";

/**
 * Ends a run's log as part of settling the run, and keeps the log after the run's record is gone. Later
 * steps of the same settlement read the ended log from the draft.
 */
export function endRunLog(
  draft: Draft,
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
  draft.note(keys.runLogHead(tenant, runId), head, { expireIn: 2 * LOG_TTL_MS });
}
