import { z } from "zod";
import { appearanceSchema } from "../../schemas/appearance.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";
import type { AgentRecord } from "./agent_record.ts";

const recordSchema = z.object({
  v: z.literal(1),
  /** The agent's. */
  name: z.string(),
  appearance: appearanceSchema,
});
export type PublicAppearance = z.infer<typeof recordSchema>;

/**
 * Adds to `step` the change of what pages may read of an agent. A copy, because pages know an agent's id
 * but not its tenant.
 */
export function updatePublicAppearance(
  step: Deno.AtomicOperation,
  { before, now }: { before?: AgentRecord; now?: AgentRecord },
): void {
  const appearance = now?.body.appearance;
  if (now !== undefined && appearance !== undefined) {
    const record: PublicAppearance = { v: 1, name: now.body.name, appearance };
    // From its text, so that no field is `undefined`.
    step.set(keys.appearance(now.id), JSON.parse(JSON.stringify(record)));
  } else if (before?.body.appearance !== undefined) step.delete(keys.appearance(before.id));
}

/** What pages may read of an agent; `undefined` if it has no appearance or does not exist. */
export async function readPublicAppearance(
  kv: Deno.Kv,
  agentId: string,
): Promise<PublicAppearance | undefined> {
  return parseRecord(recordSchema, await kv.get(keys.appearance(agentId)));
}
