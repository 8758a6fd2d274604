import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
import { setActor } from "../store/audit/actor.ts";
import { base64url, sha256 } from "../platform/crypto/signer.ts";
import { cookieKey, type SignInEnd, SignInStore } from "../store/users/sign_in_store.ts";
import { TenantStore } from "../store/tenants/tenant_store.ts";
import { type User, UserStore } from "../store/users/user_store.ts";
import type { Logger } from "../platform/log.ts";
import type { Runtime } from "../platform/runtime.ts";
import { addressBlock } from "../platform/address_block.ts";
import { SlidingWindowLimiter } from "../platform/sliding_window_limiter.ts";
import { type CredentialIssues, credentialIssues, normalizeEmail } from "./credential_rules.ts";
import type { KnownBrowserTokens } from "./known_browser_tokens.ts";
import type { PasswordAttempt, PasswordGate, PasswordRejection } from "./password_gate.ts";
import type { PasswordHasher } from "../platform/crypto/password_hasher.ts";
import type { SignedInUser } from "./signed_in_user.ts";

const SETUP_ATTEMPTS = { limit: 10, windowMs: 60_000 };

export type SetUpInput = { token: string; email: string; password: string; address: string };

export interface SignInInput {
  email: string;
  password: string;
  /** The client's address: failures are counted per account and address. */
  address: string;
  /** The token of a known browser. */
  browserToken?: string | undefined;
}

/** The cookie token of a new sign-in and the token of the known browser. */
export type SignInTokens = { cookieToken: string; browserToken: string };

export type SetUpResult =
  | SignInTokens
  | PasswordRejection
  | { rejected: "wrong_token" }
  | { rejected: "already_set_up" }
  | { rejected: "invalid"; issues: CredentialIssues };

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
  /** `SETUP_TOKEN`; without it each start generates one. */
  setupToken?: string | undefined;
  hasher: PasswordHasher;
  /** Shared by everything that hashes passwords, because it limits concurrent hashes. */
  gate: PasswordGate;
  browsers: KnownBrowserTokens;
  log: Pick<Logger, "info">;
}

/** Sign-in to the dashboard: setup by the first owner, sign-in, sign-out, passwords. */
export class SignInService {
  readonly #deps: SignInDeps;
  readonly #users: UserStore;
  readonly #signIns: SignInStore;
  readonly #tenants: TenantStore;
  readonly #setupAttempts = new SlidingWindowLimiter(SETUP_ATTEMPTS);
  #isSetUp = false;

  constructor(kv: Deno.Kv, deps: SignInDeps) {
    const { runtime } = deps;
    this.#deps = deps;
    this.#users = new UserStore(kv, runtime);
    this.#signIns = new SignInStore(kv, runtime);
    this.#tenants = new TenantStore(kv, runtime);
  }

  /** True until the first owner exists. An installation that is set up stays set up. */
  async needsSetup(): Promise<boolean> {
    this.#isSetUp ||= (await this.#users.setupState()).done;
    return !this.#isSetUp;
  }

  /**
   * The token that authenticates the operator during setup: the configured one, or a new one for this
   * start, of which only the hash is stored. `undefined` after setup.
   */
  async ensureSetupToken(): Promise<string | undefined> {
    const token = this.#deps.setupToken ?? base64url(this.#deps.runtime.randomBytes(24));
    const open = await this.#users.setSetupToken(await sha256(token));
    return open ? token : undefined;
  }

  /** Creates the first owner, who is also operator of the default tenant, and signs them in. */
  async setUp(input: SetUpInput): Promise<SetUpResult> {
    if (!await this.needsSetup()) return { rejected: "already_set_up" };
    const block = addressBlock(input.address);
    const wait = this.#setupAttempts.take(block, this.#deps.runtime.now());
    if (wait > 0) return { rejected: "too_many_tries", retryAfterMs: wait };
    if (!await this.#isSetupToken(input.token)) return { rejected: "wrong_token" };
    const issues = await credentialIssues(input);
    if (Object.keys(issues).length > 0) return { rejected: "invalid", issues };
    return await this.#deps.gate.run<SetUpResult>(block, async () => {
      const owner = await this.#newOwner(input);
      setActor({ kind: "user", id: owner.id, name: owner.email });
      if (!await this.#users.createFirstOwner(owner)) return { rejected: "already_set_up" };
      return await this.createSignIn(owner, { address: input.address });
    });
  }

  /** A wrong password and an unknown account get the same answer after the same work. */
  async signIn(input: SignInInput): Promise<SignInResult> {
    const { address, password } = input;
    const email = normalizeEmail(input.email);
    if (email === undefined || password === "") return { rejected: "wrong_credentials" };
    const credential = await this.#knownBrowser(email, input.browserToken);
    const result = await this.#deps.gate.attempt({ email, address, credential }, async () => {
      const user = await this.#users.findByEmail(email);
      return await this.#checkPassword(password, user) ? user : undefined;
    });
    if ("right" in result) return await this.createSignIn(result.right, { address });
    return result.rejected === "wrong_password" ? { rejected: "wrong_credentials" } : result;
  }

  /** Signs in a user who has just authenticated. With an `address` the sign-in is audited. */
  async createSignIn(
    user: User,
    { address }: { address?: string | undefined } = {},
  ): Promise<SignInTokens> {
    const { tenant, id: userId, epoch, email: name } = user;
    setActor({ kind: "user", id: userId, name });
    const audit = address === undefined ? {} : { audit: { name, address } };
    // Always a new token, so that a cookie planted before the sign-in is worthless.
    const cookieToken = await this.#signIns.create({ tenant, userId, epoch }, audit);
    if (address !== undefined) this.#deps.log.info("sign-in: signed in", { user: userId, address });
    return { cookieToken, browserToken: await this.#deps.browsers.issue(userId) };
  }

  /** The user of a cookie, read from the store so that changed roles and removals apply immediately. */
  authenticate(cookieToken: string): Promise<SignedInUser | undefined> {
    return this.#userOf(this.#signIns.use(cookieToken));
  }

  /** Keys whose changes can end the sign-in of a cookie. */
  async watchedKeys(cookieToken: string): Promise<Deno.KvKey[]> {
    return [await cookieKey(cookieToken)];
  }

  /** Whether the cookie still signs in; for open streams, which must not prolong it. */
  async isSignedIn(cookieToken: string): Promise<boolean> {
    return await this.#userOf(this.#signIns.peek(cookieToken)) !== undefined;
  }

  async #userOf(reading: ReturnType<SignInStore["use"]>): Promise<SignedInUser | undefined> {
    const signIn = await reading;
    if (signIn === undefined) return undefined;
    const user = await this.#users.get(signIn.tenant, signIn.userId);
    if (user === undefined || user.epoch !== signIn.epoch) return undefined;
    const { id, tenant, email, role, operator } = user;
    return { id, tenant, email, role, operator, provenAt: signIn.provenAt };
  }

  endReason(cookieToken: string): Promise<SignInEnd | undefined> {
    return this.#signIns.endReason(cookieToken);
  }

  /**
   * Checks the password of a signed-in user again, before actions that a borrowed browser must not do.
   * Failures count per sign-in: a stolen cookie has five attempts, from whatever addresses.
   */
  async reauthenticate(
    user: Pick<SignedInUser, "tenant" | "id" | "email">,
    input: { cookieToken: string; password: string; address: string },
  ): Promise<PasswordRejection | { rejected: "wrong_password" } | undefined> {
    const { cookieToken, password, address } = input;
    if (password === "") return { rejected: "wrong_password" };
    const name = `sign-in ${await sha256(cookieToken)}`;
    const attempt = { email: user.email, address, credential: { name, only: true } };
    const result = await this.#deps.gate.attempt(attempt, async () => {
      const stored = await this.#users.get(user.tenant, user.id);
      return await this.#checkPassword(password, stored) || undefined;
    });
    if ("rejected" in result) return result;
    await this.#signIns.recordPasswordCheck(cookieToken);
    return undefined;
  }

  /** Ends all sign-ins of a user and creates one as old as the current one. Returns its token. */
  async signOutElsewhere(
    user: Pick<SignedInUser, "tenant" | "id">,
    { cookieToken }: { cookieToken: string },
  ): Promise<string | undefined> {
    const replaced = await this.#signIns.use(cookieToken);
    if (replaced === undefined) return undefined;
    const action = "sign out everywhere";
    const next = await this.#users.endSignIns(user.tenant, user.id, { action });
    if (next === undefined) return undefined;
    const { createdAt, provenAt } = replaced;
    const signIn = { tenant: user.tenant, userId: user.id, epoch: next.epoch };
    return await this.#signIns.create(signIn, { replaces: { createdAt, provenAt } });
  }

  /** Sets a new password, ends all sign-ins and creates a new one. */
  async changePassword(
    user: Pick<SignedInUser, "tenant" | "id" | "email">,
    password: string,
  ): Promise<Exclude<NewPasswordResult, { rejected: "gone" }>> {
    const { tenant, id, email } = user;
    const input = { client: `user ${id}`, email, password };
    const result = await this.setPassword(input, (passwordHash) => {
      return this.#users.endSignIns(tenant, id, { passwordHash, action: "change password" });
    });
    if ("rejected" in result && result.rejected === "gone") throw new Error("the user is gone");
    return result;
  }

  /**
   * Checks a new password, stores it and signs in the user that `store` returns. `client` shares the
   * hashing slots. With an `address` the sign-in is audited.
   */
  async setPassword(
    { client, email, password, address }: {
      client: string;
      email: string;
      password: string;
      address?: string | undefined;
    },
    store: (passwordHash: string) => Promise<User | undefined>,
  ): Promise<NewPasswordResult> {
    const issues = await credentialIssues({ email, password });
    if (issues.password !== undefined) return { rejected: "invalid", issues };
    const { gate, hasher } = this.#deps;
    return await gate.run<NewPasswordResult>(client, async () => {
      const user = await store(await hasher.hash(password));
      return user === undefined ? { rejected: "gone" } : await this.createSignIn(user, { address });
    });
  }

  /** Ends a sign-in; `address` is the client's, for the audit log. */
  async signOut(cookieToken: string, { address }: { address: string }): Promise<void> {
    const user = await this.authenticate(cookieToken);
    if (user) setActor({ kind: "user", id: user.id, name: user.email });
    const audit = user && { name: user.email, address };
    await this.#signIns.delete(cookieToken, { audit });
    if (user) this.#deps.log.info("sign-in: signed out", { user: user.id, address });
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
  async #checkPassword(password: string, user: User | undefined): Promise<boolean> {
    const matches = await this.#deps.hasher.verify(password, user?.passwordHash);
    if (!matches || user === undefined) return false;
    if (!this.#deps.hasher.isCurrent(user.passwordHash)) {
      const change = { before: user.passwordHash, after: await this.#deps.hasher.hash(password) };
      await this.#users.upgradePasswordHash(user, change);
    }
    return true;
  }

  /** Compares hashes, so that timing reveals neither length nor content of the token. */
  async #isSetupToken(token: string): Promise<boolean> {
    const { setupToken } = this.#deps;
    const expected = setupToken === undefined
      ? (await this.#users.setupState()).tokenHash
      : await sha256(setupToken);
    if (expected === undefined) return false;
    const encoder = new TextEncoder();
    return timingSafeEqual(encoder.encode(await sha256(token.trim())), encoder.encode(expected));
  }

  async #newOwner(input: SetUpInput): Promise<User> {
    const tenant = await this.#tenants.ensureDefault();
    return {
      v: 1,
      id: this.#deps.runtime.uuid(),
      tenant: tenant.id,
      email: normalizeEmail(input.email)!,
      passwordHash: await this.#deps.hasher.hash(input.password),
      role: "owner",
      operator: true,
      createdAt: this.#deps.runtime.now(),
      epoch: 0,
    };
  }
}
