/** Keys of trials of agents: a part of `keys`, under the same rules. */
export const TRIAL_KEYS = {
  /** A job of trials that is running, or whose process died: its lease and its money, `{ v, … }`. */
  trialJob: (tenant: string, id: string) => ["trial_jobs", tenant, id],
  trialJobs: (tenant: string) => ["trial_jobs", tenant],
  allTrialJobs: () => ["trial_jobs"],
  /** Replays of an agent's runs on another version: `{ v, … }`. */
  rehearsal: (tenant: string, agentId: string, id: string) => ["rehearsals", tenant, agentId, id],
  rehearsals: (tenant: string, agentId: string) => ["rehearsals", tenant, agentId],
  /** Value: the run's id. By the number of the run in its rehearsal. */
  rehearsalRun: (tenant: string, id: string, n: number) => ["rehearsal_runs", tenant, id, n],
  rehearsalRuns: (tenant: string, id: string) => ["rehearsal_runs", tenant, id],
  /** What a rehearsal made of a run: `{ v, sealed, … }`. Under the run, so that it is deleted with it. */
  rehearsedRun: (tenant: string, runId: string, id: string) => [
    "rehearsed_runs",
    tenant,
    runId,
    id,
  ],
  rehearsedRuns: (tenant: string, runId: string) => ["rehearsed_runs", tenant, runId],
  allRehearsedRuns: () => ["rehearsed_runs"],
} as const satisfies Record<string, (...args: never[]) => Deno.KvKey>;
