import { z } from "zod";
import { shownAppearanceSchema } from "./appearance.ts";
import { FIELD_BOUNDS as B } from "./limits.ts";
import { mintVisitorSchema } from "./visitor.ts";

/**
 * Stands for the origin where sessions of native apps are stored, compared and shown. No browser sends it
 * and no agent can allow it.
 */
export const NATIVE_APP = "native-app";

/** The key that a session is bound to from the start. */
export const boundKeySchema = z.strictObject({
  jkt: z.string().regex(/^[A-Za-z0-9_-]{43}$/, "must be a SHA-256 thumbprint in base64url")
    .describe("The SHA-256 thumbprint of the key's public JWK (RFC 7638)."),
});

const mintBindingSchema = z.union([z.literal(true), boundKeySchema]).describe(
  "Every call with the token must carry a proof of a key in the header `DPoP`. `true` binds the session " +
    "to the key of the first valid proof, `jkt` to this key from the start.",
);
export type MintBinding = z.infer<typeof mintBindingSchema>;

/** Body of `POST /v1/widget/session`. */
export const mintBodySchema = z.strictObject({
  agentId: z.uuid().toLowerCase(),
  visitor: mintVisitorSchema.optional(),
  bind: mintBindingSchema.optional(),
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
