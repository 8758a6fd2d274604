import { ApiError } from "../schemas/api_error.ts";
import type { SignedInUser } from "../services/signed_in_user.ts";
import { SHOWN_TENANT } from "./shown_tenant.ts";

/** A form of a page that shows another tenant than this browser shows now. */
export class OtherTenantError extends ApiError {
  override name = "OtherTenantError";

  constructor() {
    super("not_found", "this browser shows another tenant now");
  }
}

/** The sign-in has ended, or its user's rights have changed, while the body arrived. */
export class SignInEndedError extends ApiError {
  override name = "SignInEndedError";

  constructor() {
    super("session_token_invalid", "you were signed out");
  }
}

/** Throws `OtherTenantError`. Forms without the field name something of one tenant. */
export function requireShownTenant(form: URLSearchParams, { tenant }: SignedInUser): void {
  const shown = form.get(SHOWN_TENANT);
  if (shown !== null && shown !== tenant) throw new OtherTenantError();
}
