import type { OidcProblem } from "../../services/oidc/oidc_error.ts";
import { msg } from "../texts/translate.ts";

export const OIDC_PROBLEM_TEXTS: Readonly<Record<OidcProblem, string>> = {
  restart: msg("This sign-in has expired or began in another browser. Start again."),
  provider: msg("Your identity provider cannot be reached. Try again in a moment."),
  denied: msg("Your identity provider did not sign you in."),
  invalid: msg("The answer of your identity provider is not valid. Start again."),
  not_allowed: msg("You have no access here. Ask an owner."),
  email_unverified: msg("Your identity provider has not verified your email address."),
  email_taken: msg(
    "There is an account with your email address. Sign in to it, then link your identity provider under Account.",
  ),
  linked_elsewhere: msg("This identity belongs to another account."),
};
