import { z } from "zod";
import { PUBLICATION_MODES } from "../../schemas/publication.ts";

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
});
export type StoredPublication = z.infer<typeof storedPublicationSchema>;

/** An agent's version and how it is published. */
interface Published {
  version: number;
  publication?: StoredPublication | undefined;
}

/** The version that visitors get. */
export function servedVersion({ version, publication }: Published): number {
  return publication?.mode === "manual" ? publication.version ?? version : version;
}
