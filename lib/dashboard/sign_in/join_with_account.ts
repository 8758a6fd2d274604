import { type Context, page } from "fresh";
import type { State } from "@/utils.ts";
import type { JoinResult } from "../../services/tenants/memberships.ts";
import { accountOf, type SignedInUser } from "../../services/signed_in_user.ts";
import { withFlashMessage } from "../flash_messages.ts";
import { msg, t } from "../texts/translate.ts";
import { type AccountLinkPageData, expiredLink } from "./account_link_page.ts";
import { readSignInCookie } from "./sign_in_cookie.ts";

const REJECTIONS: Readonly<Record<Exclude<JoinResult, "joined" | "gone">, string>> = {
  already_member: msg("You are on this team already."),
  too_many: msg("Your account is on as many teams as it can be. Leave one first."),
  own_provider: msg(
    "Your account signs in at your organization's own identity provider, so it can't be used in other tenants. Unlink the provider first, or ask for an invitation for another address.",
  ),
};

/** Who is signed in, on a page that does not require it. */
export async function findSignedIn(
  { req, state }: Context<State>,
): Promise<{ user: SignedInUser; cookieToken: string } | undefined> {
  const { config, signIn } = state.service;
  const cookieToken = readSignInCookie(req.headers, config);
  const user = cookieToken && await signIn.authenticate(cookieToken);
  return cookieToken && user ? { user, cookieToken } : undefined;
}

/** Joins the tenant of an invitation with the account that is signed in, and shows that tenant. */
export async function joinWithAccount(ctx: Context<State>, form: URLSearchParams) {
  const { clientAddress: address, service: { memberships, team } } = ctx.state;
  const token = form.get("token") ?? "";
  const current = await findSignedIn(ctx);
  if (current === undefined) return ctx.redirect(signInToJoin(token), 303);
  const invitation = await team.findInvitation(token);
  if (invitation === undefined) return expiredLink();
  const { email, tenant } = invitation.link;
  const data = { token, email };
  if (current.user.email !== email) return page<AccountLinkPageData>(data, { status: 403 });
  const result = await memberships.join(accountOf(current.user), invitation);
  if (result === "gone") return expiredLink();
  if (result !== "joined") {
    return page<AccountLinkPageData>({ ...data, error: t(REJECTIONS[result]) }, { status: 409 });
  }
  await memberships.switchTo(current.user, { ...current, tenant, address });
  return ctx.redirect(withFlashMessage("/home", "tenant_joined"), 303);
}

/** Leads back to the invitation. */
export function signInToJoin(token: string): string {
  return `/sign-in?next=${encodeURIComponent(`/join?token=${token}`)}`;
}
