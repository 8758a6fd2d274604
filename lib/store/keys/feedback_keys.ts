/** Keys of visitors' feedback: a part of `keys`, under the same rules. */
export const FEEDBACK_KEYS = {
  /** The feedback on a run's answer; stored as long as the run's record. */
  feedback: (tenant: string, runId: string) => ["run_feedback", tenant, runId],
  allFeedback: () => ["run_feedback"],
  /** How many answers of an agent that ended on this UTC day are rated: `{ v, up, down }`. */
  feedbackCount: (tenant: string, agentId: string, day: string) => [
    "feedback_counts",
    tenant,
    agentId,
    day,
  ],
  feedbackCounts: (tenant: string, agentId: string) => ["feedback_counts", tenant, agentId],
} as const satisfies Record<string, (...args: never[]) => Deno.KvKey>;
