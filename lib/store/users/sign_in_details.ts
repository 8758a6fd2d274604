import { z } from "zod";
import { keys } from "../keys/keys.ts";

/** How a second factor was proven; `provider`: at the OpenID Connect provider. */
export const FACTOR_KINDS = ["passkey", "totp", "recovery", "provider"] as const;

export const signInDetailsSchema = z.object({
  v: z.literal(1),
  /** Browser and system, such as "Firefox, Windows"; empty if unknown. */
  device: z.string(),
  /** The /24 or /64 of the latest request; empty if unknown. */
  network: z.string(),
  /** When it was last used, at most a minute late. */
  usedAt: z.int(),
  /** Absent if none was proven. */
  factor: z.object({ kind: z.enum(FACTOR_KINDS), at: z.int() }).optional(),
  /** The membership through which the sign-in views another tenant; absent in the account's own. */
  acting: z.object({ tenant: z.uuid(), userId: z.uuid() }).optional(),
  exp: z.int(),
});
type SignInDetailsRecord = z.infer<typeof signInDetailsSchema>;
/** Where a sign-in is used, and its proof of a second factor. */
export type SignInDetails = Omit<SignInDetailsRecord, "v" | "exp" | "usedAt">;
export type FactorProof = NonNullable<SignInDetails["factor"]>;

export const NO_DETAILS: SignInDetails = { device: "", network: "" };

/** A sign-in that this release knows from its key family; an earlier release creates none. */
export function detailsKey(
  { tenant, userId, hash }: { tenant: string; userId: string; hash: string },
): Deno.KvKey {
  return keys.signInDetails(tenant, userId, hash);
}
