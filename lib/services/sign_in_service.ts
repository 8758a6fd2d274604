import { setActor } from "../store/audit/actor.ts";
import type { AccountSecurityStore } from "../store/users/account_security_store.ts";
import { CredentialStore } from "../store/users/credential_store.ts";
import { detailsKey, type FactorProof } from "../store/users/sign_in_details.ts";
import {
  cookieKey,
  type LiveSignIn,
  type SignInEnd,
  SignInStore,
} from "../store/users/sign_in_store.ts";
import { TenantStore } from "../store/tenants/tenant_store.ts";
import { type User, UserStore } from "../store/users/user_store.ts";
import type { Logger } from "../platform/log.ts";
import type { Runtime } from "../platform/runtime.ts";
import { type CredentialIssues, credentialIssues, normalizeEmail } from "./credential_rules.ts";
import type { OidcSessions } from "./oidc/oidc_sessions.ts";
import type { KnownBrowserTokens } from "./known_browser_tokens.ts";
import {
  detailsOf,
  type NewSignInOptions,
  NewSignIns,
  type SignInClient,
  type SignInTokens,
} from "./new_sign_ins.ts";
import type { PasswordAttempt, PasswordGate, PasswordRejection } from "./password_gate.ts";
import type { PasswordHasher } from "../platform/crypto/password_hasher.ts";
import { findSignedInUser, type FoundSignIn } from "./find_signed_in_user.ts";
import { accountOf, type SignedInUser } from "./signed_in_user.ts";

export interface SignInInput {
  email: string;
  password: string;
  /** Failures are counted per account and address. */
  from: SignInClient;
}

/** The new sign-in; `gone` if the user or link no longer exists, without the reason. */
export type NewPasswordResult =
  | SignInTokens
  | PasswordRejection
  | { rejected: "gone" }
  | { rejected: "invalid"; issues: CredentialIssues };

/** The new sign-in, or the reason for rejecting it, which never reveals which accounts exist. */
export type SignInResult = SignInTokens | PasswordRejection | { rejected: "wrong_credentials" };

export interface SignInDeps {
  runtime: Runtime;
  hasher: PasswordHasher;
  /** Shared by everything that hashes passwords, because it limits concurrent hashes. */
  gate: PasswordGate;
  browsers: KnownBrowserTokens;
  /** Ends sign-ins that their OpenID Connect provider ended. */
  oidc?: Pick<OidcSessions, "check" | "isUsable" | "move">;
  security: AccountSecurityStore;
  /** Operators need a second factor, whatever their tenant requires. */
  operatorsNeedFactor: boolean;
  log: Pick<Logger, "info">;
}

/** Sign-in to the dashboard: sign-in, sign-out, passwords. */
export class SignInService {
  readonly #kv: Deno.Kv;
  readonly #deps: SignInDeps;
  readonly #new: NewSignIns;
  readonly #credentials: CredentialStore;
  readonly #users: UserStore;
  readonly #signIns: SignInStore;
  readonly #tenants: TenantStore;

  constructor(kv: Deno.Kv, deps: SignInDeps) {
    const { runtime } = deps;
    this.#kv = kv;
    this.#deps = deps;
    this.#credentials = new CredentialStore(kv, runtime);
    this.#users = new UserStore(kv, runtime);
    this.#signIns = new SignInStore(kv, runtime);
    this.#new = new NewSignIns({ ...deps, signIns: this.#signIns });
    this.#tenants = new TenantStore(kv, runtime);
  }

  /** A wrong password and an unknown account get the same answer after the same work. */
  async signIn({ from, ...input }: SignInInput): Promise<SignInResult> {
    const { address, browserToken } = from;
    const email = normalizeEmail(input.email);
    if (email === undefined || input.password === "") return { rejected: "wrong_credentials" };
    const credential = await this.#knownBrowser(email, browserToken);
    const result = await this.#deps.gate.attempt({ email, address, credential }, async () => {
      const user = await this.#users.findByEmail(email);
      return await this.#matches(input.password, user) ? user : undefined;
    });
    if ("right" in result) return await this.createSignIn(result.right, { from });
    return result.rejected === "wrong_password" ? { rejected: "wrong_credentials" } : result;
  }

  /** See `NewSignIns.create`. */
  createSignIn(user: User, options: NewSignInOptions = {}): Promise<SignInTokens> {
    return this.#new.create(user, options);
  }

  /** The user of a cookie, read from the store so that changed roles and removals apply immediately. */
  async authenticate(cookieToken: string, from?: SignInClient): Promise<SignedInUser | undefined> {
    const live = await this.#signIns.read(cookieToken);
    const found = live && await this.#find(live);
    if (live === undefined || found === undefined || found.isPending) return undefined;
    if (!(await this.#deps.oidc?.check(accountOf(found.user)) ?? true)) return undefined;
    const { entry, details } = found.details;
    await this.#signIns.extend(live, {
      entry,
      details: from === undefined ? details : { ...details, ...detailsOf(from) },
    });
    return found.user;
  }

  /** The user of a cookie that needs a second factor before it signs in. */
  async pendingUser(cookieToken: string): Promise<SignedInUser | undefined> {
    const live = await this.#signIns.read(cookieToken);
    const found = live && await this.#find(live);
    return found?.isPending === true ? accountOf(found.user) : undefined;
  }

  /** Replaces a pending sign-in by a complete one, once its user has proven a second factor. */
  async completeSignIn(
    cookieToken: string,
    { factor, from }: { factor: FactorProof["kind"]; from: SignInClient },
  ): Promise<SignInTokens | undefined> {
    const live = await this.#signIns.read(cookieToken);
    if (live === undefined || (await this.#find(live))?.isPending !== true) return undefined;
    const user = await this.#users.get(live.tenant, live.userId);
    if (user === undefined) return undefined;
    return await this.#new.complete(user, { cookieToken, live, factor, from });
  }

  /** Keys whose changes can end the sign-in of a cookie, or show another tenant. */
  async watchedKeys(cookieToken: string): Promise<Deno.KvKey[]> {
    const live = await this.#signIns.read(cookieToken);
    return [await cookieKey(cookieToken), ...live === undefined ? [] : [detailsKey(live)]];
  }

  /**
   * Whether the cookie still signs in this user, with the same rights; for streams and bodies that take long,
   * which must not prolong it.
   */
  async isSignedIn(
    cookieToken: string,
    user: Pick<SignedInUser, "tenant" | "id" | "role" | "operator">,
  ): Promise<boolean> {
    return await this.reread(cookieToken, user) !== undefined;
  }

  /** As `isSignedIn`, with what the store says about the user now. */
  async reread(
    cookieToken: string,
    { tenant, id, role, operator }: Pick<SignedInUser, "tenant" | "id" | "role" | "operator">,
  ): Promise<SignedInUser | undefined> {
    const live = await this.#signIns.read(cookieToken);
    const found = live && await this.#find(live);
    if (found === undefined || found.isPending) return undefined;
    const { user } = found;
    const isSame = user.tenant === tenant && user.id === id && user.role === role &&
      user.operator === operator;
    const isUsable = isSame && (await this.#deps.oidc?.isUsable(accountOf(user)) ?? true);
    return isUsable ? user : undefined;
  }

  #find(live: LiveSignIn): Promise<FoundSignIn | undefined> {
    const { operatorsNeedFactor } = this.#deps;
    return findSignedInUser(live, { kv: this.#kv, tenants: this.#tenants, operatorsNeedFactor });
  }

  endReason(cookieToken: string): Promise<SignInEnd | undefined> {
    return this.#signIns.endReason(cookieToken);
  }

  /**
   * Checks the password of a signed-in user again, before actions that a borrowed browser must not do.
   * Failures count per sign-in: a stolen cookie has five attempts, from whatever addresses, and also after
   * it was replaced.
   */
  async checkPassword(
    user: Pick<SignedInUser, "tenant" | "id" | "email" | "session">,
    { password, address }: { password: string; address: string },
  ): Promise<PasswordRejection | { rejected: "wrong_password" } | undefined> {
    if (password === "") return { rejected: "wrong_password" };
    const name = `sign-in of ${user.id} ${user.session.createdAt}`;
    const attempt = { email: user.email, address, credential: { name, only: true } };
    const result = await this.#deps.gate.attempt(attempt, async () => {
      const stored = await this.#users.get(user.tenant, user.id);
      return await this.#matches(password, stored) || undefined;
    });
    return "rejected" in result ? result : undefined;
  }

  /** The user of a sign-in has just proven again who they are. */
  recordStepUp(cookieToken: string): Promise<void> {
    return this.#signIns.recordPasswordCheck(cookieToken);
  }

  /** The user of a sign-in has just added a second factor: this browser need not prove it again. */
  recordFactor(cookieToken: string, kind: FactorProof["kind"]): Promise<void> {
    return this.#signIns.recordFactor(cookieToken, kind);
  }

  /**
   * Checks a new password, stores it and signs in the user that `store` returns. `client` shares the
   * hashing slots.
   */
  async setPassword(
    { client, email, password, ...options }: NewSignInOptions & {
      client: string;
      email: string;
      password: string;
    },
    store: (passwordHash: string) => Promise<User | undefined>,
  ): Promise<NewPasswordResult> {
    const issues = await credentialIssues({ email, password });
    if (issues.password !== undefined) return { rejected: "invalid", issues };
    const { gate, hasher } = this.#deps;
    return await gate.run<NewPasswordResult>(client, async () => {
      const user = await store(await hasher.hash(password));
      return user === undefined ? { rejected: "gone" } : await this.createSignIn(user, options);
    });
  }

  /** Ends a sign-in; `address` is the client's, for the audit log. */
  async signOut(cookieToken: string, { address }: { address: string }): Promise<void> {
    const found = await this.authenticate(cookieToken);
    const user = found && accountOf(found);
    if (user) setActor({ kind: "user", id: user.id, name: user.email });
    const audit = user && { name: user.email, address };
    await this.#signIns.delete(cookieToken, { audit });
    if (user) this.#deps.log.info("sign-in: signed out", { user: user.id, address });
  }

  /** Under which name failures of this user's codes count: attackers share one, apart from the user's browsers. */
  async placeOf(user: Pick<User, "id">, browserToken: string | undefined): Promise<string> {
    const known = browserToken && await this.#deps.browsers.identify(browserToken);
    return known && known.userId === user.id ? `browser ${known.id}` : "unknown browsers";
  }

  /** The credential that a known browser of this account presents. */
  async #knownBrowser(
    email: string,
    browserToken: string | undefined,
  ): Promise<PasswordAttempt["credential"]> {
    const browser = browserToken === undefined
      ? undefined
      : await this.#deps.browsers.identify(browserToken);
    if (browser === undefined) return undefined;
    const user = await this.#users.findByEmail(email);
    return user?.id === browser.userId ? { name: `browser ${browser.id}` } : undefined;
  }

  /** Checks the password and replaces a hash of lower cost. */
  async #matches(password: string, user: User | undefined): Promise<boolean> {
    const matches = await this.#deps.hasher.verify(password, user?.passwordHash);
    if (!matches || user === undefined) return false;
    if (!this.#deps.hasher.isCurrent(user.passwordHash)) {
      const change = { before: user.passwordHash, after: await this.#deps.hasher.hash(password) };
      await this.#credentials.upgradePasswordHash(user, change);
    }
    return true;
  }
}
