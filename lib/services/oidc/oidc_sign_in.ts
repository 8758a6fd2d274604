import { base64url, sha256 } from "../../platform/crypto/signer.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { Logger } from "../../platform/log.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { setActor } from "../../store/audit/actor.ts";
import type { OidcAttemptStore } from "../../store/oidc/oidc_attempt_store.ts";
import type { OidcIdentityStore, OidcPerson } from "../../store/oidc/oidc_identity_store.ts";
import type { OidcSessionStore } from "../../store/oidc/oidc_session_store.ts";
import type { TenantStore } from "../../store/tenants/tenant_store.ts";
import { NO_PASSWORD, type User } from "../../store/users/user_record.ts";
import type { UserStore } from "../../store/users/user_store.ts";
import { retryUntilCommitted } from "../../store/values/record.ts";
import type { SignInClient, SignInTokens } from "../new_sign_ins.ts";
import type { SignInService } from "../sign_in_service.ts";
import type { MembershipStore } from "../../store/users/membership_store.ts";
import { accountOf, type Role, type SignedInUser } from "../signed_in_user.ts";
import { type IdClaims, mappedRole, newUserEmail } from "./oidc_claims.ts";
import type { OidcClient } from "./oidc_client.ts";
import type { OidcConfig } from "./oidc_config.ts";
import { OidcError } from "./oidc_error.ts";
import { nextCheck } from "./oidc_sessions.ts";

const CLOCK_TOLERANCE_MS = 60_000;

export interface OidcSignInDeps {
  config: OidcConfig;
  client: OidcClient;
  attempts: OidcAttemptStore;
  identities: OidcIdentityStore;
  sessions: OidcSessionStore;
  signIn: Pick<SignInService, "createSignIn">;
  users: UserStore;
  runtime: Pick<Runtime, "now" | "uuid" | "randomBytes">;
  log: Pick<Logger, "info">;
  tenants: Pick<TenantStore, "get">;
  memberships: Pick<MembershipStore, "hasAny">;
  /** The tenant that new users join. */
  tenant: string;
  /** The tenant whose own provider this is; absent for the installation's. */
  connection?: string | undefined;
}

export interface OidcStart {
  next: string;
  /** The provider asks for credentials in any case. */
  again?: boolean;
  /** A signed-in user who links the provider, or tests it, and their cookie. */
  link?: { user: SignedInUser; cookieToken: string };
  /** The version of the connection that is only tested. */
  tests?: string;
}

export interface OidcCallback {
  params: URLSearchParams;
  /** The cookie of the browser that began. */
  browser: string | undefined;
  from: SignInClient;
  /** The user of this browser's sign-in, and their cookie. */
  current?: { user: SignedInUser; cookieToken: string } | undefined;
  /** The connection is not in use: an answer that signs in or links is rejected. */
  onlyTests?: boolean;
}

export type OidcResult =
  & { next: string }
  & ({ tokens: SignInTokens } | { linked: true } | { tested: OidcTested });

/** What a test sign-in gave, and of which version of the connection. */
export interface OidcTested {
  version: string;
  email: string;
  /** Absent if the person would be rejected. */
  role?: Role | undefined;
}

/** Sign-in to the dashboard at one OpenID Connect provider: authorization code with PKCE. */
export class OidcSignIn {
  readonly #deps: OidcSignInDeps;

  constructor(deps: OidcSignInDeps) {
    this.#deps = deps;
  }

  /** The host of the provider, for pages. */
  get providerName(): string {
    return new URL(this.#deps.config.issuer).host;
  }

  /** Leads to the provider. */
  get path(): string {
    const { connection } = this.#deps;
    return connection === undefined ? "/sign-in/oidc" : `/sign-in/oidc?tenant=${connection}`;
  }

  issuerOf(user: Pick<SignedInUser, "tenant" | "id">): Promise<string | undefined> {
    return this.#deps.identities.issuerOf(user);
  }

  /** Where the browser signs in, and the cookie that it brings back. Throws `OidcError`. */
  async start(
    { next, again = false, link, tests }: OidcStart,
  ): Promise<{ url: string; browser: string }> {
    const { attempts, client, connection, runtime } = this.#deps;
    const [state, browser] = [24, 32].map((n) => base64url(runtime.randomBytes(n)));
    const secrets = await secretsOf(browser!);
    const url = await client.authorizationUrl({ state: state!, ...secrets, again });
    await attempts.begin(state!, {
      ...{ browserHash: await sha256(browser!), next, again },
      ...connection !== undefined && { connection },
      ...tests !== undefined && { tests },
      ...link && {
        tenant: link.user.tenant,
        userId: link.user.id,
        signInHash: await sha256(link.cookieToken),
      },
    });
    return { url, browser: browser! };
  }

  /** Signs in the person, or links them to the user who began. Throws `OidcError`. */
  async finish({ params, browser, from, current, onlyTests }: OidcCallback): Promise<OidcResult> {
    const { attempts, client, connection, runtime } = this.#deps;
    const state = params.get("state");
    const attempt = state === null || browser === undefined
      ? undefined
      : await attempts.take(state, browser);
    // At the address of another connection: its provider may have passed on somebody else's answer.
    if (attempt === undefined || attempt.connection !== connection) throw new OidcError("restart");
    if (onlyTests && attempt.tests === undefined) throw new OidcError("restart");
    const answer = await client.exchange({ params, state: state!, ...await secretsOf(browser!) });
    const { claims } = answer;
    const provenAt = Math.min(Math.floor((claims.auth_time ?? 0) * 1_000), runtime.now());
    if (attempt.again && provenAt < attempt.startedAt - CLOCK_TOLERANCE_MS) {
      throw new OidcError("invalid", { detail: "the provider did not ask again" });
    }
    const person = {
      ...{ issuer: claims.iss, subject: claims.sub },
      ...connection !== undefined && { connection },
    };
    const { next } = attempt;
    if (attempt.userId !== undefined) {
      const isTest = attempt.tests !== undefined;
      const user = current && (isTest ? current.user : accountOf(current.user));
      const isSame = user?.id === attempt.userId &&
        await sha256(current!.cookieToken) === attempt.signInHash;
      if (!isSame) throw new OidcError("restart");
      if (!isTest) await this.#rejectOthersAccounts(user);
      if (attempt.tests !== undefined) {
        return { next, tested: { version: attempt.tests, ...await this.#preview(person, claims) } };
      }
      setActor({ kind: "user", id: user.id, name: user.email });
      if (!await this.#deps.identities.link(user, person)) {
        throw new OidcError("linked_elsewhere");
      }
      return { next, linked: true };
    }
    const { user, isNew } = await this.#userOf(person, claims);
    const add = await this.#deps.sessions.adder(
      {
        ...{ tenant: user.tenant, userId: user.id, email: user.email, ...person },
        ...claims.sid !== undefined && { sid: claims.sid },
        checkAt: nextCheck(runtime.now(), answer.refreshToken && answer.expiresIn || undefined),
      },
      {
        idToken: answer.idToken,
        ...answer.refreshToken !== undefined && { refreshToken: answer.refreshToken },
      },
    );
    const tokens = await this.#deps.signIn.createSignIn(user, {
      ...{ from, isNewAccount: isNew },
      provider: { provenAt, also: add },
      ...this.#vouchesForFactor(claims) && { factor: "provider" as const },
    });
    return { next, tokens };
  }

  /** Ends the sign-ins that a logout token of the provider names. Throws `OidcError`. */
  async logOut(logoutToken: string): Promise<void> {
    const { client, sessions, log } = this.#deps;
    const { jti, exp, ...logout } = await client.verifyLogoutToken(logoutToken);
    const named = { ...logout, connection: this.#deps.connection };
    const isNew = await sessions.acceptOnce(named, jti, exp);
    if (!isNew) throw new OidcError("invalid", { detail: "a logout token was used before" });
    const ended = await sessions.endAll(named);
    log.info("oidc: the provider ended sign-ins", { ended });
  }

  async unlink(user: SignedInUser): Promise<void> {
    await this.#deps.identities.unlink(user);
  }

  /**
   * The owner of a tenant decides what its provider says, and must not decide who is an operator, or who
   * somebody is in other tenants.
   */
  async #rejectOthersAccounts(
    user: Pick<User, "tenant" | "id" | "operator">,
  ): Promise<void> {
    if (this.#deps.connection === undefined) return;
    if (user.operator || await this.#deps.memberships.hasAny(user)) {
      const detail = "an operator, or a member of other tenants, at a tenant's provider";
      throw new OidcError("not_allowed", { detail });
    }
  }

  /** RFC 8176: `mfa` says that the provider asked for more than one factor. */
  #vouchesForFactor({ amr }: IdClaims): boolean {
    return this.#deps.config.trustsFactors || (amr?.includes("mfa") ?? false);
  }

  async #userOf(
    person: OidcPerson,
    claims: IdClaims,
  ): Promise<{ user: User; isNew: boolean }> {
    const { identities, users } = this.#deps;
    const known = await identities.find(person);
    const user = known && await users.get(known.tenant, known.id);
    if (user === undefined) return { user: await this.#join(person, claims), isNew: true };
    setActor({ kind: "user", id: user.id, name: user.email });
    await this.#rejectOthersAccounts(user);
    const role = this.#roleOf(user, claims);
    if (role === undefined) {
      await identities.recordRefusal(user, person.issuer);
      throw new OidcError("not_allowed", { detail: "no role" });
    }
    // The last owner stays one.
    if (role !== user.role) await users.changeRole(user.tenant, user.id, role);
    return { user, isNew: false };
  }

  /** Operators keep their role, and so do users with a password and without a matching entry. */
  #roleOf(user: User, claims: IdClaims): Role | undefined {
    const { config } = this.#deps;
    if (user.operator || config.roleClaim === undefined) return user.role;
    const rest = user.passwordHash === NO_PASSWORD ? config.defaultRole : user.role;
    return mappedRole(claims, config) ?? rest;
  }

  /** Who a person would be, without making them a user. */
  async #preview(person: OidcPerson, claims: IdClaims): Promise<Omit<OidcTested, "version">> {
    const { config, identities, users } = this.#deps;
    const known = await identities.find(person);
    const user = known && await users.get(known.tenant, known.id);
    if (user !== undefined) return { email: user.email, role: this.#roleOf(user, claims) };
    try {
      const email = newUserEmail(claims, config);
      return { email, role: mappedRole(claims, config) ?? config.defaultRole };
    } catch (error) {
      if (!(error instanceof OidcError)) throw error;
      return { email: claims.email?.slice(0, 254) ?? "" };
    }
  }

  async #join(person: OidcPerson, claims: IdClaims): Promise<User> {
    const { config, identities, runtime, tenant, users } = this.#deps;
    const role = mappedRole(claims, config) ?? config.defaultRole;
    if (role === undefined) throw new OidcError("not_allowed", { detail: "no role" });
    const email = newUserEmail(claims, config);
    if (await users.findByEmail(email) !== undefined) throw new OidcError("email_taken");
    if (await this.#deps.tenants.get(tenant) === undefined) {
      throw new OidcError("not_allowed", { detail: "no tenant with the configured id" });
    }
    const [id, createdAt] = [runtime.uuid(), runtime.now()];
    const account = { id, tenant, email, role, passwordHash: NO_PASSWORD, createdAt };
    const user: User = { v: 1, ...account, operator: false, epoch: 0 };
    setActor({ kind: "user", id, name: email });
    const isNew = await retryUntilCommitted(async () => {
      // Before the look-ups: the step fails if the person becomes a user after them.
      const add = await identities.adder(person);
      const known = await identities.find(person);
      if (known !== undefined && await users.get(known.tenant, known.id) !== undefined) {
        return false;
      }
      if (await users.findByEmail(email) !== undefined) return false;
      return await users.createFromProvider(user, (step) => add(step, user)) || undefined;
    }, { what: "user" }).catch(rejectJoining);
    if (!isNew) throw new OidcError("restart");
    return user;
  }
}

/** The plan has no room for the user, or the tenant is being deleted. */
function rejectJoining(error: unknown): never {
  throw error instanceof ApiError ? new OidcError("not_allowed", { detail: error.message }) : error;
}

/** `nonce` and PKCE's verifier come from the cookie, so that the store knows neither. */
async function secretsOf(browser: string): Promise<{ nonce: string; verifier: string }> {
  const [nonce, verifier] = await Promise.all(
    ["nonce", "verifier"].map((name) => sha256(`oidc ${name} ${browser}`)),
  );
  return { nonce: nonce!, verifier: verifier! };
}
