import type { SignedInUser } from "../../accounts/signed_in_user.ts";

/** What a person must be: anybody of the tenant, one who may change it, its owner, an operator. */
export type Need = "member" | "editor" | "owner" | "operator";

interface Rule {
  routes: RegExp;
  see: Need;
  change: Need;
}

/** By the route's pattern; the first that matches decides. */
const RULES: readonly Rule[] = [
  { routes: /^\/operator(\/|$)/, see: "operator", change: "operator" },
  { routes: /^\/account(\/|$)/, see: "member", change: "member" },
  { routes: /^\/team\/./, see: "owner", change: "owner" },
  { routes: /^\/settings\/./, see: "editor", change: "editor" },
  { routes: /\/(new|delete|revoke|rotate|doctor)$/, see: "editor", change: "editor" },
];

/** So that a route which nobody thought of here is one that viewers only look at. */
const OTHERWISE = { see: "member", change: "editor" } as const;

/**
 * Whether somebody may send a request of this method to a dashboard route. The one place that decides:
 * pages show less to those who may do less, but nothing relies on it.
 */
export function mayPass(user: SignedInUser, method: string, route: string): boolean {
  const rule = RULES.find(({ routes }) => routes.test(route)) ?? OTHERWISE;
  const looking = method === "GET" || method === "HEAD";
  return hasWhat(user, looking ? rule.see : rule.change);
}

function hasWhat({ role, operator }: SignedInUser, need: Need): boolean {
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
