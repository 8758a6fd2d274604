import type { StartHook } from "../billing/decide_run.ts";
import type { ActiveRunState } from "../store/runs/active_run.ts";
import type { LogState } from "../store/runs/run_log_head.ts";
import type { PendingConversation } from "./run_input.ts";

/** What is stored in the commit that admits a run. */
export interface RunStartHook extends StartHook {
  state: ActiveRunState & { log: LogState };
  /** Absent if the conversation is not stored. */
  conversation?: PendingConversation;
}
