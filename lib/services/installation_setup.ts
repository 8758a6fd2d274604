import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
import { addressBlock } from "../platform/address_block.ts";
import type { PasswordHasher } from "../platform/crypto/password_hasher.ts";
import { base64url, sha256 } from "../platform/crypto/signer.ts";
import type { Runtime } from "../platform/runtime.ts";
import { SlidingWindowLimiter } from "../platform/sliding_window_limiter.ts";
import { setActor } from "../store/audit/actor.ts";
import { TenantStore } from "../store/tenants/tenant_store.ts";
import { type User, UserStore } from "../store/users/user_store.ts";
import { type CredentialIssues, credentialIssues, normalizeEmail } from "./credential_rules.ts";
import type { PasswordGate, PasswordRejection } from "./password_gate.ts";
import type { SignInClient, SignInTokens } from "./new_sign_ins.ts";
import type { SignInService } from "./sign_in_service.ts";

const ATTEMPTS = { limit: 10, windowMs: 60_000 };

export interface SetUpInput {
  token: string;
  email: string;
  password: string;
  from: SignInClient;
}

export type SetUpResult =
  | SignInTokens
  | PasswordRejection
  | { rejected: "wrong_token" }
  | { rejected: "already_set_up" }
  | { rejected: "invalid"; issues: CredentialIssues };

export interface InstallationSetupDeps {
  runtime: Runtime;
  /** `SETUP_TOKEN`; without it each start generates one. */
  setupToken?: string | undefined;
  hasher: PasswordHasher;
  gate: PasswordGate;
  signIn: Pick<SignInService, "createSignIn">;
}

/** The setup of a new installation by its first owner. */
export class InstallationSetup {
  readonly #deps: InstallationSetupDeps;
  readonly #users: UserStore;
  readonly #tenants: TenantStore;
  readonly #attempts = new SlidingWindowLimiter(ATTEMPTS);
  #isDone = false;

  constructor(kv: Deno.Kv, deps: InstallationSetupDeps) {
    const { runtime } = deps;
    this.#deps = deps;
    this.#users = new UserStore(kv, runtime);
    this.#tenants = new TenantStore(kv, runtime);
  }

  /** True until the first owner exists. An installation that is set up stays set up. */
  async isNeeded(): Promise<boolean> {
    this.#isDone ||= (await this.#users.setupState()).done;
    return !this.#isDone;
  }

  /**
   * The token that authenticates the operator: the configured one, or a new one for this start, of which
   * only the hash is stored. `undefined` after setup.
   */
  async ensureToken(): Promise<string | undefined> {
    const token = this.#deps.setupToken ?? base64url(this.#deps.runtime.randomBytes(24));
    const open = await this.#users.setSetupToken(await sha256(token));
    return open ? token : undefined;
  }

  /** Creates the first owner, who is also operator of the default tenant, and signs them in. */
  async complete(input: SetUpInput): Promise<SetUpResult> {
    if (!await this.isNeeded()) return { rejected: "already_set_up" };
    const block = addressBlock(input.from.address);
    const wait = this.#attempts.take(block, this.#deps.runtime.now());
    if (wait > 0) return { rejected: "too_many_tries", retryAfterMs: wait };
    if (!await this.#isToken(input.token)) return { rejected: "wrong_token" };
    const issues = await credentialIssues(input);
    if (Object.keys(issues).length > 0) return { rejected: "invalid", issues };
    return await this.#deps.gate.run<SetUpResult>(block, async () => {
      const owner = await this.#newOwner(input);
      setActor({ kind: "user", id: owner.id, name: owner.email });
      if (!await this.#users.createFirstOwner(owner)) return { rejected: "already_set_up" };
      return await this.#deps.signIn.createSignIn(owner, {
        from: input.from,
        isNewAccount: true,
      });
    });
  }

  /** Compares hashes, so that timing reveals neither length nor content of the token. */
  async #isToken(token: string): Promise<boolean> {
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
