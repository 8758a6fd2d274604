import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
import { base64url, sha256 } from "../credentials/hashing.ts";
import { SignInStore } from "../storage/sign_in_store.ts";
import { TenantStore } from "../storage/tenant_store.ts";
import { type User, UserStore } from "../storage/user_store.ts";
import type { System } from "../system.ts";
import { addressBlock } from "./address_block.ts";
import { AttemptWindow } from "./attempt_window.ts";
import { credentialFaults, type FieldFaults, normalizeEmail } from "./credential_rules.ts";
import { PasswordHasher } from "./password_hasher.ts";
import { BusyError } from "./semaphore.ts";
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
    hasher?: PasswordHasher;
  }) {
    this.#system = options.system;
    this.#configuredToken = options.setupToken;
    this.#users = new UserStore(kv);
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
    return await this.#unlessBusy(async () => {
      const owner = await this.#newOwner(input);
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
    const result = await this.#unlessBusy<SignInResult>(async () => {
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
    if (user === undefined) return undefined;
    const { id, tenant, email, role, operator } = user;
    return { id, tenant, email, role, operator };
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
    };
  }

  /** Always a new token: a cookie planted before the sign-in is worth nothing after it. */
  #startSignIn(user: User): Promise<string> {
    return this.#signIns.create({ tenant: user.tenant, userId: user.id });
  }

  async #unlessBusy<T>(work: () => Promise<T>): Promise<T | { refused: "busy" }> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof BusyError) return { refused: "busy" };
      throw error;
    }
  }
}
