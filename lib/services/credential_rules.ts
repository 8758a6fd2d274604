import { MIN_PASSWORD_LENGTH } from "../schemas/limits.ts";
import { z } from "zod";
import { commonPasswordIssue } from "./common_passwords.ts";

/** Longer passwords are rejected, because hashing them is expensive. */
const MAX_PASSWORD_LENGTH = 1024;

const COMMON_PASSWORD_MESSAGES = {
  common: "This password is easy to guess because many people use it or a similar one. " +
    "Choose another, for example three or four unrelated words.",
  personal:
    "This password is too similar to your email or the name of this service. Choose another, " +
    "for example three or four unrelated words.",
} as const;

const emailSchema = z.string().trim().toLowerCase().max(254).pipe(z.email());

/** Problems with the fields of a new account, worded for its form. */
export type CredentialIssues = { email?: string; password?: string };

/** The address in the form that accounts are stored under; `undefined` if it is invalid. */
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
    ...(email === undefined && { email: "Enter an email address." }),
    ...(password !== undefined && { password }),
  };
}

/**
 * The problem with a new password, worded for its form. Follows NIST SP 800-63B: a minimum length, long
 * passwords allowed, no rules on kinds of characters, no common passwords.
 */
export async function passwordIssue(
  { email, password }: { email: string; password: string },
): Promise<string | undefined> {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH) return `Use at least ${MIN_PASSWORD_LENGTH} characters.`;
  if (length > MAX_PASSWORD_LENGTH) return `Use at most ${MAX_PASSWORD_LENGTH} characters.`;
  const issue = await commonPasswordIssue(password, { email });
  return issue && COMMON_PASSWORD_MESSAGES[issue];
}
