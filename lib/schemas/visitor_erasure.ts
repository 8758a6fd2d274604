import { z } from "zod";
import { countSchema } from "./value_schemas.ts";

/** Answer of `DELETE /v1/visitors/:id` and `GET /v1/visitor-erasures/:id`. */
export const erasureSchema = z.object({
  id: z.uuid().describe("Of the erasure: it does not say whose data it deletes."),
  state: z.enum(["running", "done"]),
  requestedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().optional().describe("Absent while it is running."),
});
export type Erasure = z.infer<typeof erasureSchema>;

/** Answer of `GET /v1/visitors/:id`. */
export const visitorProgressSchema = z.object({
  conversations: countSchema.describe("Stored conversations, with all agents."),
  erasure: erasureSchema.optional()
    .describe("The erasure in progress; absent if there is none, or it has finished."),
});
export type VisitorProgress = z.infer<typeof visitorProgressSchema>;
