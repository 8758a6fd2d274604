import { z } from "zod";
import {
  agentOffersSchema,
  appearanceSchema,
  offersOf,
  type ShownAgent,
} from "../../schemas/appearance.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";
import type { AgentRecord } from "./agent_record.ts";

const recordSchema = z.object({
  v: z.literal(1),
  /** The agent's. */
  name: z.string(),
  appearance: appearanceSchema,
  /** The agent has no appearance. Earlier releases require the field, so it is `{}`. */
  bare: z.literal(true).optional(),
  offers: agentOffersSchema.optional(),
});

/**
 * Adds to `step` the change of what pages may read of an agent. A copy, because pages know an agent's id
 * but not its tenant.
 */
export function updatePublicAppearance(
  step: Deno.AtomicOperation,
  { before, now }: { before?: AgentRecord; now?: AgentRecord },
): void {
  const record = now && toPublicRecord(now);
  if (record !== undefined) step.set(keys.appearance(now!.id), record);
  else if (before && toPublicRecord(before)) step.delete(keys.appearance(before.id));
}

/** `undefined` for an agent that has no appearance and offers nothing but answers. */
function toPublicRecord({ body }: AgentRecord): unknown {
  const { name, appearance } = body;
  const offers = offersOf(body);
  if (appearance === undefined && offers === undefined) return undefined;
  const look = appearance === undefined ? { appearance: {}, bare: true } : { appearance };
  // From its text, so that no field is `undefined`.
  return JSON.parse(JSON.stringify({ v: 1, name, ...look, offers }));
}

/** What pages may read of an agent; `undefined` if there is nothing, or no such agent. */
export async function readPublicAppearance(
  kv: Deno.Kv,
  agentId: string,
): Promise<ShownAgent | undefined> {
  const record = parseRecord(recordSchema, await kv.get(keys.appearance(agentId)));
  if (record === undefined) return undefined;
  const { name, bare, appearance, offers } = record;
  return { name, appearance: bare ? undefined : appearance, offers };
}
