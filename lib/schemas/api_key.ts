import { z } from "zod";
import { SCOPE_NAMES } from "./scopes.ts";

export const newApiKeySchema = z.strictObject({
  name: z.string().trim().min(1).max(128),
  scopes: z.array(z.enum(SCOPE_NAMES)).min(1),
  expiresAt: z.iso.datetime().optional(),
});
export type NewApiKey = z.infer<typeof newApiKeySchema>;
