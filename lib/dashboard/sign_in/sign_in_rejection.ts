import type { SetUpResult, SignInResult } from "../../services/sign_in_service.ts";

/** The response to a rejected sign-in or set-up; without `message` if a field has one. */
export function signInRejection(
  result: Exclude<SetUpResult | SignInResult, { cookieToken: string }>,
): { status: number; headers: Record<string, string>; message?: string } {
  switch (result.rejected) {
    case "too_many_tries": {
      const seconds = Math.max(1, Math.ceil(result.retryAfterMs / 1000));
      const message = `Too many attempts. Wait ${formatWait(seconds)}, then try again.`;
      return { status: 429, headers: { "retry-after": String(seconds) }, message };
    }
    case "busy": {
      const message = "Many people are signing in right now. Try again in a moment.";
      return { status: 503, headers: { "retry-after": "2" }, message };
    }
    case "wrong_credentials":
      return { status: 401, headers: {}, message: "The e-mail or the password is not right." };
    case "already_set_up":
      return { status: 409, headers: {}, message: "The service is set up already." };
    case "wrong_token":
    case "invalid":
      return { status: 400, headers: {} };
    default:
      return result satisfies never;
  }
}

function formatWait(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? "a second" : `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? "a minute" : `${minutes} minutes`;
}
