import { z } from "zod";
import { passwordFault } from "./password_rules.ts";

export { MIN_PASSWORD_LENGTH } from "./password_rules.ts";

const emailSchema = z.string().trim().toLowerCase().max(254).pipe(z.email());

/** What is wrong with a new account's fields, in words for its form. */
export interface FieldFaults {
  email?: string;
  password?: string;
}

/** The address as accounts are found by it, or `undefined` when it cannot be one. */
export function normalizeEmail(email: string): string | undefined {
  const parsed = emailSchema.safeParse(email);
  return parsed.success ? parsed.data : undefined;
}

export async function credentialFaults(
  input: { email: string; password: string },
): Promise<FieldFaults> {
  const email = normalizeEmail(input.email);
  const password = await passwordFault(input);
  return {
    ...(email === undefined && { email: "Enter an e-mail address." }),
    ...(password !== undefined && { password }),
  };
}
