import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { signedIn } from "../authorization.ts";
import { readSignInCookie } from "./sign_in_cookie.ts";

/** Whether the user of a request still has the rights with which it began, for streams that take long. */
export function keepsAccess({ req, state }: Context<State>): () => Promise<boolean> {
  const { config, signIn } = state.service;
  const [cookie, user] = [readSignInCookie(req.headers, config) ?? "", signedIn(state)];
  return () => signIn.isSignedIn(cookie, user);
}
