import { z } from "zod";
import { countSchema as count } from "./value_schemas.ts";

/** `automatic`: visitors get the version that was saved last. `manual`: the one that was published. */
export const PUBLICATION_MODES = ["automatic", "manual"] as const;

/** Body of `PUT /v1/agents/:id/publication`. */
export const newPublicationSchema = z.discriminatedUnion("mode", [
  z.strictObject({ mode: z.literal("automatic") }),
  z.strictObject({
    mode: z.literal("manual"),
    version: count.positive().optional()
      .describe("The version to publish; by default the one that visitors have now."),
  }),
]);
export type NewPublication = z.infer<typeof newPublicationSchema>;

export const publicationSchema = z.object({
  mode: z.enum(PUBLICATION_MODES).describe(
    "`automatic`: visitors get each version as it is saved. `manual`: saving makes a draft, and visitors " +
      "keep the published version.",
  ),
  version: count.positive().describe("The version that visitors get."),
  latestVersion: count.positive().describe(
    "The version that was saved last: a draft, if it is newer.",
  ),
  previousVersion: count.positive().optional().describe("What was published before."),
  changedAt: z.iso.datetime().optional().describe("Absent if it was never changed."),
});
export type Publication = z.infer<typeof publicationSchema>;

/** By their names in the API document. */
export const PUBLICATION_SCHEMAS = {
  NewPublication: newPublicationSchema,
  Publication: publicationSchema,
} as const;
