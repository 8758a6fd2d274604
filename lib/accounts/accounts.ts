import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
import { base64url, sha256 } from "../credentials/hashing.ts";
import { becomeActor } from "../audit/acting.ts";
import { SignInStore } from "../storage/sign_in_store.ts";
import { TenantStore } from "../storage/tenant_store.ts";
import { type User, UserStore } from "../storage/user_store.ts";
import type { System } from "../system.ts";
import { addressBlock } from "./address_block.ts";
import { AttemptWindow } from "./attempt_window.ts";
import { credentialFaults, type FieldFaults, normalizeEmail } from "./credential_rules.ts";
import { PasswordHasher } from "./password_hasher.ts";
import { unlessBusy } from "./semaphore.ts";
import type { SignedInUser } from "./signed_in_user.ts";

const SETUP_TRIES = { limit: 10, windowMs: 60_000 };

export interface SetUpInput {
  token: string;
  email: string;
  password: string;
  /** The client's, for the limit on tries. */
  address: string;
}

export interface SignInInput {
  email: string;
  password: string;
  /** The client's, for the lockout of the pair account + address. */
  address: string;
}

/** `too_many_tries` waits `retryAfterMs`; `busy` means that too many passwords are being checked. */
export type Refusal =
  | { refused: "too_many_tries"; retryAfterMs: number }
  | { refused: "busy" };

/** The cookie token of the new sign-in, or why there is none. */
export type SetUpResult =
  | { cookieToken: string }
  | Refusal
  | { refused: "wrong_token" }
  | { refused: "already_set_up" }
  | { refused: "invalid"; faults: FieldFaults };

/** The cookie token of the new sign-in, or why there is none; it never tells which accounts exist. */
export type SignInResult = { cookieToken: string } | Refusal | { refused: "wrong_credentials" };

/** Who may use the dashboard: the first owner's set-up, sign-in, sign-out. */
export class Accounts {
  #system: System;
  #configuredToken: string | undefined;
  #users: UserStore;
  #signIns: SignInStore;
  #tenants: TenantStore;
  #hasher: PasswordHasher;
  #setupTries = new AttemptWindow(SETUP_TRIES);
  #isSetUp = false;

  constructor(kv: Deno.Kv, options: {
    system: System;
    /** `SETUP_TOKEN`; without it each start makes its own. */
    setupToken?: string | undefined;
    /** Shared by all that hash passwords, because it is what limits how many are at once. */
    hasher?: PasswordHasher;
  }) {
    this.#system = options.system;
    this.#configuredToken = options.setupToken;
    this.#users = new UserStore(kv, options.system);
    this.#signIns = new SignInStore(kv, options.system);
    this.#tenants = new TenantStore(kv, options.system);
    const randomBytes = (n: number) => options.system.randomBytes(n);
    this.#hasher = options.hasher ?? new PasswordHasher({ randomBytes });
  }

  /** Whether the first owner is still to come. Once set up an installation stays so. */
  async needsSetup(): Promise<boolean> {
    this.#isSetUp ||= (await this.#users.setupState()).done;
    return !this.#isSetUp;
  }

  /**
   * The token that proves to be the operator at the first visit: the configured one, or a new one
   * for this start, of which only the hash is stored. `undefined` once set up.
   */
  async ensureSetupToken(): Promise<string | undefined> {
    const token = this.#configuredToken ?? base64url(this.#system.randomBytes(24));
    const open = await this.#users.offerSetup(await sha256(token));
    return open ? token : undefined;
  }

  /** Makes the first owner, who is also operator of the default tenant, and signs them in. */
  async setUp(input: SetUpInput): Promise<SetUpResult> {
    if (!await this.needsSetup()) return { refused: "already_set_up" };
    const wait = this.#setupTries.take(addressBlock(input.address), this.#system.now());
    if (wait > 0) return { refused: "too_many_tries", retryAfterMs: wait };
    if (!await this.#isSetupToken(input.token)) return { refused: "wrong_token" };
    const faults = credentialFaults(input);
    if (Object.keys(faults).length > 0) return { refused: "invalid", faults };
    return await unlessBusy(async () => {
      const owner = await this.#newOwner(input);
      becomeActor({ kind: "user", id: owner.id, name: owner.email });
      if (!await this.#users.createFirstOwner(owner)) return { refused: "already_set_up" };
      return { cookieToken: await this.#startSignIn(owner) };
    });
  }

  /** A wrong password and an unknown account give the same answer after the same work. */
  async signIn(input: SignInInput): Promise<SignInResult> {
    const email = normalizeEmail(input.email);
    if (email === undefined) return { refused: "wrong_credentials" };
    const block = addressBlock(input.address);
    const wait = await this.#signIns.takeTry(email, block);
    if (wait > 0) return { refused: "too_many_tries", retryAfterMs: wait };
    const result = await unlessBusy<SignInResult>(async () => {
      const user = await this.#users.findByEmail(email);
      const genuine = await this.#hasher.verify(input.password, user?.passwordHash);
      if (user === undefined || !genuine) return { refused: "wrong_credentials" };
      await this.#signIns.clearTries(email, block);
      return { cookieToken: await this.#startSignIn(user) };
    });
    if ("refused" in result && result.refused === "busy") {
      await this.#signIns.returnTry(email, block);
    }
    return result;
  }

  /** Who a cookie stands for, read afresh so that a changed role or a removed user counts at once. */
  async signedIn(cookieToken: string): Promise<SignedInUser | undefined> {
    const signIn = await this.#signIns.use(cookieToken);
    if (signIn === undefined) return undefined;
    const user = await this.#users.get(signIn.tenant, signIn.userId);
    if (user === undefined || user.epoch !== signIn.epoch) return undefined;
    const { id, tenant, email, role, operator } = user;
    return { id, tenant, email, role, operator, provenAt: signIn.provenAt };
  }

  /**
   * Takes the password of somebody who is signed in once more, before what a borrowed browser must not
   * do. Tries are counted as those of a sign-in are.
   */
  async confirm(
    user: Pick<SignedInUser, "tenant" | "id" | "email">,
    input: { cookieToken: string; password: string; address: string },
  ): Promise<Refusal | { refused: "wrong_password" } | undefined> {
    const block = addressBlock(input.address);
    const wait = await this.#signIns.takeTry(user.email, block);
    if (wait > 0) return { refused: "too_many_tries", retryAfterMs: wait };
    const result = await unlessBusy(async () => {
      const stored = await this.#users.get(user.tenant, user.id);
      return await this.#hasher.verify(input.password, stored?.passwordHash);
    });
    if (typeof result !== "boolean") {
      await this.#signIns.returnTry(user.email, block);
      return result;
    }
    if (!result) return { refused: "wrong_password" };
    await this.#signIns.clearTries(user.email, block);
    await this.#signIns.prove(input.cookieToken);
    return undefined;
  }

  /** Ends every sign-in of a user and starts a new one, whose token it returns. */
  async signOutElsewhere(user: Pick<SignedInUser, "tenant" | "id">): Promise<string | undefined> {
    const action = "sign out everywhere";
    const next = await this.#users.endSignIns(user.tenant, user.id, { action });
    return next && await this.#startSignIn(next);
  }

  /** Sets a new password; every sign-in ends but the new one, whose token it returns. */
  async changePassword(
    user: Pick<SignedInUser, "tenant" | "id" | "email">,
    password: string,
  ): Promise<{ cookieToken: string } | Refusal | { refused: "invalid"; faults: FieldFaults }> {
    const faults = credentialFaults({ email: user.email, password });
    if (faults.password !== undefined) return { refused: "invalid", faults };
    return await unlessBusy(async () => {
      const passwordHash = await this.#hasher.hash(password);
      const change = { passwordHash, action: "change password" };
      const next = await this.#users.endSignIns(user.tenant, user.id, change);
      if (next === undefined) throw new Error("a signed-in user is gone");
      return { cookieToken: await this.#startSignIn(next) };
    });
  }

  async signOut(cookieToken: string): Promise<void> {
    await this.#signIns.delete(cookieToken);
  }

  /** Hashes are compared, so neither length nor content of the token shows in the time taken. */
  async #isSetupToken(token: string): Promise<boolean> {
    const expected = this.#configuredToken === undefined
      ? (await this.#users.setupState()).tokenHash
      : await sha256(this.#configuredToken);
    if (expected === undefined) return false;
    const encoder = new TextEncoder();
    return timingSafeEqual(encoder.encode(await sha256(token.trim())), encoder.encode(expected));
  }

  async #newOwner(input: SetUpInput): Promise<User> {
    const tenant = await this.#tenants.ensureDefault();
    return {
      v: 1,
      id: this.#system.uuid(),
      tenant: tenant.id,
      email: normalizeEmail(input.email)!,
      passwordHash: await this.#hasher.hash(input.password),
      role: "owner",
      operator: true,
      createdAt: this.#system.now(),
      epoch: 0,
    };
  }

  /** Always a new token: a cookie planted before the sign-in is worth nothing after it. */
  #startSignIn(user: User): Promise<string> {
    return this.#signIns.create({ tenant: user.tenant, userId: user.id, epoch: user.epoch });
  }
}
