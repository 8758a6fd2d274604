import type { SignedInUser } from "../services/signed_in_user.ts";
import type { State } from "@/utils.ts";

/** What a person must be: anybody of the tenant, one who may change it, its owner, an operator. */
export type RequiredRole = "member" | "editor" | "owner" | "operator";

interface Rule {
  routes: RegExp;
  view: RequiredRole;
  change: RequiredRole;
}

/** By the route's pattern; the first that matches decides. */
const RULES: readonly Rule[] = [
  { routes: /^\/operator(\/|$)/, view: "operator", change: "operator" },
  { routes: /^\/account(\/|$)/, view: "member", change: "member" },
  { routes: /^\/team\/./, view: "owner", change: "owner" },
  { routes: /^\/settings\/./, view: "editor", change: "editor" },
  { routes: /\/(new|delete|revoke|rotate|doctor)$/, view: "editor", change: "editor" },
];

/** So that a route which nobody thought of here is one that viewers only look at. */
const DEFAULT_RULE = { view: "member", change: "editor" } as const;

/**
 * Whether somebody may send a request of this method to a dashboard route. The one place that decides:
 * pages show less to those who may do less, but nothing relies on it.
 */
export function isAuthorized(user: SignedInUser, method: string, route: string): boolean {
  const rule = RULES.find(({ routes }) => routes.test(route)) ?? DEFAULT_RULE;
  const looking = method === "GET" || method === "HEAD";
  return satisfiesRole(user, looking ? rule.view : rule.change);
}

function satisfiesRole({ role, operator }: SignedInUser, need: RequiredRole): boolean {
  switch (need) {
    case "member":
      return true;
    case "editor":
      return role !== "viewer";
    case "owner":
      return role === "owner";
    case "operator":
      return operator;
    default:
      return need satisfies never;
  }
}

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
