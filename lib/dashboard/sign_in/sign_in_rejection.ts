import type { SetUpResult } from "../../services/installation_setup.ts";
import type { SignInResult } from "../../services/sign_in_service.ts";
import { plural } from "../format_amount.ts";
import { t } from "../texts/translate.ts";

/** The response to a rejected sign-in or set-up; without `message` if a field has one. */
export function signInRejection(
  result: Exclude<SetUpResult | SignInResult, { cookieToken: string }>,
): { status: number; headers: Record<string, string>; message?: string } {
  switch (result.rejected) {
    case "too_many_tries": {
      const seconds = Math.max(1, Math.ceil(result.retryAfterMs / 1000));
      const message = t("Too many attempts. Wait {seconds}, then try again.", {
        seconds: formatWait(seconds),
      });
      return { status: 429, headers: { "retry-after": String(seconds) }, message };
    }
    case "busy": {
      const message = t("Many people are signing in right now. Try again in a moment.");
      return { status: 503, headers: { "retry-after": "2" }, message };
    }
    case "wrong_credentials":
      return { status: 401, headers: {}, message: t("Wrong email or password.") };
    case "already_set_up":
      return { status: 409, headers: {}, message: t("The service is already set up.") };
    case "wrong_token":
    case "invalid":
      return { status: 400, headers: {} };
    default:
      return result satisfies never;
  }
}

function formatWait(seconds: number): string {
  if (seconds < 60) return plural(seconds, "a second", "{count} seconds");
  const minutes = Math.ceil(seconds / 60);
  return plural(minutes, "a minute", "{count} minutes");
}
