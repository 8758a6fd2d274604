import type { SignedInUser } from "../services/signed_in_user.ts";

/** The parameter that forms of people in several tenants send: the tenant that their page showed. */
export const TENANT_PARAM = "tenant";

/** Whether a form is of a page that showed another tenant than this browser shows now, in another tab. */
export function isForOtherTenant(
  method: string,
  { searchParams }: URL,
  { tenant }: SignedInUser,
): boolean {
  const shown = searchParams.get(TENANT_PARAM);
  return method === "POST" && shown !== null && shown !== tenant;
}
