import { z } from "zod";
import { PROVIDER_IDS } from "../../schemas/provider_id.ts";
import { runSourceSchema } from "../runs/run_record.ts";

const microUsd = z.int().nonnegative();

/** A job of trials, as long as it runs: money that is set aside, and the process that works on it. */
export const trialJobSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  tenant: z.string(),
  /** Its process renews the record before this time, milliseconds. */
  until: z.int(),
  /** Where the money is reserved. */
  hold: z.object({ tenant: z.string(), id: z.string(), ledgerKey: z.array(z.string()) }),
  /** On whose behalf. */
  source: runSourceSchema,
  /** Somebody wants it to stop. */
  stop: z.literal(true).optional(),
  /** What the trials that are running may cost, by their number; if the process dies, they are charged. */
  open: z.record(
    z.string(),
    z.object({
      maxCost: microUsd,
      agentId: z.string(),
      provider: z.enum(PROVIDER_IDS),
      model: z.string(),
    }),
  ),
});
export type TrialJobRecord = z.infer<typeof trialJobSchema>;
