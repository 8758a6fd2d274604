import { accountOf, type SignedInUser } from "../services/signed_in_user.ts";
import { runAs } from "../store/audit/actor.ts";
import type { State } from "@/utils.ts";

/** The role that a request requires; an editor is any member who may change things. */
type RequiredRole = "member" | "editor" | "owner" | "operator";

/** Matched against the route's pattern; the first match applies. */
const RULES: readonly { routes: RegExp; view: RequiredRole; change: RequiredRole }[] = [
  { routes: /^\/operator(\/|$)/, view: "operator", change: "operator" },
  { routes: /^\/account(\/|$)/, view: "member", change: "member" },
  // A GET that connects: an authorization server sends the user there.
  { routes: /^\/mcp\/callback\//, view: "editor", change: "editor" },
  { routes: /^\/team\/./, view: "owner", change: "owner" },
  // Everything of the tenant.
  {
    routes: /^\/settings\/(export|second-factor|single-sign-on(\/.*)?)$/,
    view: "owner",
    change: "owner",
  },
  { routes: /^\/settings\/./, view: "editor", change: "editor" },
  { routes: /\/(new|delete|revoke|rotate|restrict|doctor)$/, view: "editor", change: "editor" },
];

/** For routes without a rule: viewers may only look. */
const DEFAULT_RULE = { view: "member", change: "editor" } as const;

/** The only authorization check: pages hide what a user may not do, but nothing relies on that. */
export function isAuthorized(user: SignedInUser, method: string, route: string): boolean {
  const rule = RULES.find(({ routes }) => routes.test(route)) ?? DEFAULT_RULE;
  const isRead = method === "GET" || method === "HEAD";
  return SATISFIES[isRead ? rule.view : rule.change](user);
}

const SATISFIES: Record<RequiredRole, (user: SignedInUser) => boolean> = {
  member: () => true,
  editor: isEditor,
  owner: isOwner,
  operator: ({ operator }) => operator,
};

/** What a suspended user may still do: an export takes data, and changes nothing. */
const OWN_ROUTES = /^\/(account|operator)(\/|$)|^\/settings\/export$/;

/** While a tenant is suspended, its users may look, and change only their own account. */
export function isSuspended(user: SignedInUser, method: string, route: string): boolean {
  if (user.suspension === undefined || OWN_ROUTES.test(route)) return false;
  return !(method === "GET" || method === "HEAD") || /^\/mcp\/callback\//.test(route);
}

/** The pages of a user who must add a second factor first: another tenant may not require one. */
export function isFactorRoute(route: string): boolean {
  return /^\/account\/(factors|tenants)(\/|$)/.test(route);
}

/** Whose account it is, everywhere under `/account`. */
export function isAccountRoute(route: string): boolean {
  return /^\/account(\/|$)/.test(route);
}

/** The signed-in user. Throws outside dashboard routes. */
export function signedIn(state: State): SignedInUser {
  if (state.user === undefined) throw new Error("a dashboard route ran without authentication");
  return state.user;
}

/** The user whose password, factors and sessions the signed-in user has; see `accountOf`. */
export function signedInAccount(state: State): SignedInUser {
  return accountOf(signedIn(state));
}

export function isEditor(user: SignedInUser): boolean {
  return user.role !== "viewer";
}

export function isOwner(user: SignedInUser): boolean {
  return user.role === "owner";
}

/** Runs `work` as the user, whom the audit log then names. */
export function runAsUser<T>({ id, email }: SignedInUser, work: () => T): T {
  return runAs({ kind: "user", id, name: email }, work);
}
