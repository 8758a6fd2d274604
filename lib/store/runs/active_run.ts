import { z } from "zod";
import { bytesSchema } from "../values/chunks.ts";
import { logStateSchema } from "./run_log_head.ts";
import { type RunFacts, runFactsSchema } from "./run_record.ts";

/** What a run stores while it is active, next to the ledgers it is charged to. */
const activeRunStateSchema = z.object({
  log: logStateSchema,
  /** The request messages as JSON, if short; longer ones have keys of their own. */
  asked: bytesSchema,
}).partial();
export type ActiveRunState = z.infer<typeof activeRunStateSchema>;

/** One ledger that a run is charged to; plain data, so that another process can settle the run. */
const budgetScopeSchema = z.object({
  kind: z.enum(["tenant", "session", "address"]),
  key: z.array(z.string()),
  /** The lease in the tenant's ledger that the run shares with others of its process, unless it has a separate one. */
  sharedLease: z.string().optional(),
});
export type BudgetScope = z.infer<typeof budgetScopeSchema>;

/** A run that is not settled yet, with everything that any process needs to settle it. */
export const activeRunSchema = activeRunStateSchema.extend({
  v: z.literal(1),
  run: runFactsSchema,
  accounts: z.array(budgetScopeSchema).min(1),
});
export type ActiveRun = z.infer<typeof activeRunSchema>;

export function newActiveRun(
  run: RunFacts,
  accounts: ActiveRun["accounts"],
  state: ActiveRunState = {},
): ActiveRun {
  return { v: 1, run, accounts, ...state };
}
