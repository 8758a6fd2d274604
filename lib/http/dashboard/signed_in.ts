import type { SignedInUser } from "../../accounts/signed_in_user.ts";
import type { State } from "@/utils.ts";

/** Who is signed in; behind the dashboard's guard there always is someone. */
export function signedIn(state: State): SignedInUser {
  if (state.user === undefined) throw new Error("a dashboard route ran without its guard");
  return state.user;
}

/** Whether the person may change things of the tenant; the guard enforces it, pages show it. */
export function isEditor(user: SignedInUser): boolean {
  return user.role !== "viewer";
}

/** Whether the person decides who belongs to the tenant. */
export function isOwner(user: SignedInUser): boolean {
  return user.role === "owner";
}
