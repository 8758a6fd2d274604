import { commonPasswordIssue } from "./common_passwords.ts";

/** The shortest password an account may have. */
export const MIN_PASSWORD_LENGTH = 10;
/** Longer ones are refused rather than hashed: nobody types them, and hashing them costs. */
const MAX_PASSWORD_LENGTH = 1024;

const COMMON_PASSWORD_MESSAGES = {
  common: "This password is easy to guess because many people use it or a similar one. " +
    "Choose another, for example three or four unrelated words.",
  personal:
    "This password is too similar to your e-mail or the name of this service. Choose another, " +
    "for example three or four unrelated words.",
} as const;

/**
 * What is wrong with a new password, in words for its form. As NIST SP 800-63B asks: a shortest
 * length, room for long ones, no rule on kinds of characters, and none that attackers try first.
 */
export async function passwordIssue(
  { email, password }: { email: string; password: string },
): Promise<string | undefined> {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH) return `Use at least ${MIN_PASSWORD_LENGTH} characters.`;
  if (length > MAX_PASSWORD_LENGTH) return `Use at most ${MAX_PASSWORD_LENGTH} characters.`;
  const fault = await commonPasswordIssue(password, { email });
  return fault && COMMON_PASSWORD_MESSAGES[fault];
}
