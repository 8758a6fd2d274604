import { z } from "zod";
import {
  CANARY_OUTCOMES,
  canaryLimitsSchema,
  type NewPublication,
  PUBLICATION_MODES,
  publishGateSchema,
  ROLLBACK_REASONS,
} from "../../schemas/publication.ts";

const storedCanarySchema = z.object({
  id: z.string(),
  version: z.int().positive(),
  /** Of new conversations. */
  percent: z.int().min(1).max(50),
  limits: canaryLimitsSchema,
  startedAt: z.int(),
});
/** A version that a share of new conversations gets. */
export type StoredCanary = z.infer<typeof storedCanarySchema>;

const endedCanarySchema = storedCanarySchema.extend({
  endedAt: z.int(),
  outcome: z.enum(CANARY_OUTCOMES),
  reason: z.enum(ROLLBACK_REASONS).optional(),
});
export type StoredEndedCanary = z.infer<typeof endedCanarySchema>;

/**
 * Stored in the agent's record, so that most messages read nothing more. Absent until it is first
 * changed, which means `automatic`.
 */
export const storedPublicationSchema = z.object({
  mode: z.enum(PUBLICATION_MODES),
  /** Of a manual publication: the version that visitors get. */
  version: z.int().positive().optional(),
  previousVersion: z.int().positive().optional(),
  /** Counts the changes, from 2: 1 stands for none. */
  revision: z.int().min(2),
  changedAt: z.int(),
  /** Only of manual publications, like the gate. */
  canary: storedCanarySchema.optional(),
  lastCanary: endedCanarySchema.optional(),
  gate: publishGateSchema.optional(),
});
export type StoredPublication = z.infer<typeof storedPublicationSchema>;

/** What visitors get of an agent, with the number of its state, for `ETag`. */
export interface PublicationState {
  publication: StoredPublication | undefined;
  /** The published version. */
  version: number;
  latestVersion: number;
  revision: number;
}

export const DEFAULT_CANARY_LIMITS = canaryLimitsSchema.parse({});

/** An agent's version and how it is published. */
interface Published {
  version: number;
  publication?: StoredPublication | undefined;
}

/** The version that visitors get. */
export function servedVersion({ version, publication }: Published): number {
  return publication?.mode === "manual" ? publication.version ?? version : version;
}

/** The versions that visitors get and that must therefore be stored. */
export function versionsInUse({ version, publication }: Published): number[] {
  const canary = publication?.canary?.version;
  return [servedVersion({ version, publication }), ...canary === undefined ? [] : [canary]];
}

/** The publication that is asked for; a canary ends with it. */
export function nextPublication(
  current: Published,
  { asked, now }: { asked: NewPublication; now: number },
): Omit<StoredPublication, "revision"> {
  const { publication } = current;
  const served = servedVersion(current);
  const version = asked.mode === "manual" ? asked.version ?? served : undefined;
  const visible = version ?? current.version;
  const previousVersion = visible === served ? publication?.previousVersion : served;
  const outcome = publication?.canary?.version === visible ? "published" : "stopped";
  const { lastCanary, gate } = publication
    ? withCanaryEnded(publication, { outcome, endedAt: now })
    : {};
  return {
    mode: asked.mode,
    ...version !== undefined && { version },
    ...previousVersion !== undefined && { previousVersion },
    changedAt: now,
    ...lastCanary && { lastCanary },
    ...gate && { gate },
  };
}

export type CanaryEnd = Pick<StoredEndedCanary, "endedAt" | "outcome" | "reason">;

/** The publication without its canary, if it has one. */
export function withCanaryEnded<T extends Pick<StoredPublication, "canary" | "lastCanary">>(
  publication: T,
  { reason, ...end }: CanaryEnd,
): Omit<T, "canary"> {
  const { canary, ...rest } = publication;
  if (canary === undefined) return rest;
  return { ...rest, lastCanary: { ...canary, ...end, ...reason && { reason } } };
}
