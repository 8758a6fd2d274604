import { z } from "zod";
import { shownAppearanceSchema } from "./appearance.ts";
import { FIELD_BOUNDS as B } from "./limits.ts";
import { mintVisitorSchema } from "./visitor.ts";

/** Body of `POST /v1/widget/session`. */
export const mintBodySchema = z.strictObject({
  agentId: z.uuid().toLowerCase(),
  visitor: mintVisitorSchema.optional(),
});

/** Body of `POST /v1/agents/:id/playground-session`: empty or `{}`. */
export const playgroundBodySchema = z.strictObject({});

/** Body of `DELETE /v1/widget/session`. */
export const revokeBodySchema = z.strictObject({
  sessionToken: z.string().min(B.sessionTokenMin).max(B.sessionTokenMax),
});

export const mintedSessionSchema = z.object({
  sessionToken: z.string().regex(/^cs_/).describe("Opaque and secret; may be sent to a browser."),
  expiresAt: z.iso.datetime().describe("When the session ends: 15 minutes after the mint."),
  messageCap: z.int().positive().describe("Total messages that this session may send."),
  appearance: shownAppearanceSchema.optional().describe(
    "The agent's, and what it offers; absent if it has neither.",
  ),
});
export type MintedSession = z.infer<typeof mintedSessionSchema>;
