import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { SignInClient } from "../../services/new_sign_ins.ts";
import { readKnownBrowserCookie } from "./sign_in_cookie.ts";

/** The browser of a request. */
export function signInClient({ req, state }: Context<State>): SignInClient {
  return {
    address: state.clientAddress,
    userAgent: req.headers.get("user-agent"),
    browserToken: readKnownBrowserCookie(req.headers, state.service.config),
  };
}
