import { z } from "zod";

/** The shortest password an account may have. */
export const MIN_PASSWORD_LENGTH = 10;
/** Longer ones are refused rather than hashed: nobody types them, and hashing them costs. */
export const MAX_PASSWORD_LENGTH = 1024;

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

export function credentialFaults(input: { email: string; password: string }): FieldFaults {
  const faults: FieldFaults = {};
  if (normalizeEmail(input.email) === undefined) faults.email = "Enter an e-mail address.";
  const length = [...input.password].length;
  if (length < MIN_PASSWORD_LENGTH) {
    faults.password = `Use at least ${MIN_PASSWORD_LENGTH} characters.`;
  } else if (length > MAX_PASSWORD_LENGTH) {
    faults.password = `Use at most ${MAX_PASSWORD_LENGTH} characters.`;
  }
  return faults;
}
