import { z } from "zod";
import { passwordIssue } from "./password_rules.ts";

export { MIN_PASSWORD_LENGTH } from "./password_rules.ts";

const emailSchema = z.string().trim().toLowerCase().max(254).pipe(z.email());

/** What is wrong with a new account's fields, in words for its form. */
export interface CredentialIssues {
  email?: string;
  password?: string;
}

/** The address as accounts are found by it, or `undefined` when it cannot be one. */
export function normalizeEmail(email: string): string | undefined {
  const parsed = emailSchema.safeParse(email);
  return parsed.success ? parsed.data : undefined;
}

export async function credentialIssues(
  input: { email: string; password: string },
): Promise<CredentialIssues> {
  const email = normalizeEmail(input.email);
  const password = await passwordIssue(input);
  return {
    ...(email === undefined && { email: "Enter an e-mail address." }),
    ...(password !== undefined && { password }),
  };
}
