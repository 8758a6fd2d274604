import { type Context, page } from "fresh";
import type { State } from "@/utils.ts";
import type { AccountLink } from "../../store/users/account_link_store.ts";
import { readSignInCookie, setSignInCookies } from "./sign_in_cookie.ts";
import { signInClient } from "./sign_in_client.ts";
import { signInRejection } from "./sign_in_rejection.ts";
import { translateMessages } from "../texts/service_message.ts";

/** The page of a one-time link; without `email` if the link has expired. */
export interface AccountLinkPageData {
  token: string;
  email?: string;
  error?: string | undefined;
  passwordError?: string | undefined;
}

/** The answer to a link that does not work any more. */
function expiredLink() {
  return page<AccountLinkPageData>({ token: "" }, { status: 410 });
}

/** Shows the form of a valid link without consuming it, because mail scanners follow links. */
export async function showAccountLink(ctx: Context<State>, kind: AccountLink["kind"]) {
  const token = ctx.url.searchParams.get("token") ?? "";
  const link = await ctx.state.service.team.findLink(token, kind);
  return link === undefined
    ? expiredLink()
    : page<AccountLinkPageData>({ token, email: link.email });
}

export async function consumeAccountLink(
  ctx: Context<State>,
  kind: AccountLink["kind"],
  form: URLSearchParams,
) {
  const { service, clientAddress: address } = ctx.state;
  const from = signInClient(ctx);
  const [token, password] = [form.get("token") ?? "", form.get("password") ?? ""];
  const result = kind === "invite"
    ? await service.team.join(token, password, { from })
    : await service.team.resetPassword(token, password, { from });
  if ("cookieToken" in result) {
    const previous = readSignInCookie(ctx.req.headers, service.config);
    if (previous) await service.signIn.signOut(previous, { address });
    const response = ctx.redirect("/", 303);
    setSignInCookies(response.headers, result, service.config);
    return response;
  }
  const link = await service.team.findLink(token, kind);
  // Also for an address that has an account: those who invite it must not learn that.
  if (result.rejected === "gone" || link === undefined) return expiredLink();
  const data = { token, email: link.email };
  if (result.rejected === "invalid") {
    const { password: passwordError } = translateMessages(result.issues);
    return page<AccountLinkPageData>({ ...data, passwordError }, { status: 400 });
  }
  const { status, headers, message } = signInRejection(result);
  return page<AccountLinkPageData>({ ...data, error: message }, { status, headers });
}
