import { z } from "zod";
import { type RunFacts, runFactsSchema } from "../usage/run_record.ts";
import type { Account } from "./accounts.ts";

/** A run that is not settled yet, with all that settling it takes: any process can. */
export const liveRunSchema = z.object({
  v: z.literal(1),
  run: runFactsSchema,
  accounts: z.array(z.object({
    kind: z.enum(["tenant", "session", "address"]),
    key: z.array(z.string()),
  })).min(1),
});
export type LiveRun = z.infer<typeof liveRunSchema>;

export function liveRunOf(run: RunFacts, accounts: Account[]): LiveRun {
  return { v: 1, run, accounts };
}
