/** Keys of questions without a good answer: a part of `keys`, under the same rules. Each has its run's end of life. */
export const UNANSWERED_KEYS = {
  /** A run whose question was not answered well: `{ v, reasons, sealed, … }`. */
  unanswered: (tenant: string, runId: string) => ["unanswered", tenant, runId],
  allUnanswered: () => ["unanswered"],
  tenantUnanswered: (tenant: string) => ["unanswered", tenant],
  /** What people did about the group that this run was the latest of: `{ v, state, at, … }`. */
  unansweredMark: (tenant: string, runId: string) => ["unanswered_marks", tenant, runId],
  unansweredMarks: (tenant: string) => ["unanswered_marks", tenant],
  /** The answer to the same question after a document was written: `{ v, sealed, … }`. */
  askedAgain: (tenant: string, runId: string) => ["asked_again", tenant, runId],
  allAskedAgain: () => ["asked_again"],
} as const satisfies Record<string, (...args: never[]) => Deno.KvKey>;

/** The keys of what is stored about a run here. */
export function unansweredKeysOf(tenant: string, runId: string): Deno.KvKey[] {
  const { unanswered, unansweredMark, askedAgain } = UNANSWERED_KEYS;
  return [unanswered, unansweredMark, askedAgain].map((keyOf) => [...keyOf(tenant, runId)]);
}
