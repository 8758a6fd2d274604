import type { Runtime } from "../../platform/runtime.ts";
import type { Logger } from "../../platform/log.ts";
import { UnsealError } from "../../platform/crypto/sealing.ts";
import { sha256 } from "../../platform/crypto/signer.ts";
import { cookieKey } from "../../store/users/sign_in_store.ts";
import type {
  OidcSession,
  OidcSessionStore,
  OidcSnapshot,
  OidcTokens,
} from "../../store/oidc/oidc_session_store.ts";
import type { MembershipStore } from "../../store/users/membership_store.ts";
import type { SignedInUser } from "../signed_in_user.ts";
import type { OidcClient, OidcTokenAnswer } from "./oidc_client.ts";
import type { OidcClients } from "./oidc_clients.ts";
import { OidcError } from "./oidc_error.ts";

const MIN_LIFE_MS = 5 * 60_000;
/** Also of a sign-in without a refresh token, which then ends. */
const MAX_LIFE_MS = 60 * 60_000;
/** How long sign-ins outlast a provider that cannot be asked. */
const MAX_FAILING_MS = 60 * 60_000;
const RETRY_MS = 60_000;
/** More than the requests of a refresh take together. */
const LEASE_MS = 45_000;
const POLL_MS = 50;
const MAX_POLLS = 200;

export interface OidcSessionsDeps {
  clients: Pick<OidcClients, "find">;
  store: OidcSessionStore;
  memberships: Pick<MembershipStore, "hasAny">;
  runtime: Pick<Runtime, "now" | "sleep">;
  log: Pick<Logger, "info" | "warn">;
}

/** When the provider is asked again. */
export function nextCheck(now: number, expiresIn: number | undefined): number {
  const life = expiresIn === undefined ? MAX_LIFE_MS : expiresIn * 1_000;
  return now + Math.min(Math.max(life, MIN_LIFE_MS), MAX_LIFE_MS);
}

/** Keeps sign-ins only as long as the provider does. */
export class OidcSessions {
  readonly #deps: OidcSessionsDeps;
  /** By the hash of the cookie: one refresh serves all waiting requests of this process. */
  readonly #renewing = new Map<string, Promise<boolean>>();

  constructor(deps: OidcSessionsDeps) {
    this.#deps = deps;
  }

  /**
   * Whether a live sign-in may be used, by the user whose account it is. Asks the provider if its last answer
   * is too old. A tenant's own provider must not decide who operates, or who somebody is in other tenants.
   */
  async check(user: SignedInUser): Promise<boolean> {
    const { store, runtime } = this.#deps;
    const hash = user.session.hash;
    const found = await this.#find(user);
    if (typeof found === "boolean") return found;
    const { snapshot, client } = found;
    if (client === undefined) {
      await store.end(hash, "ended: another provider");
      return false;
    }
    if (runtime.now() < snapshot.record.checkAt) return true;
    const running = this.#renewing.get(hash) ??
      this.#renew(hash, client).finally(() => this.#renewing.delete(hash));
    this.#renewing.set(hash, running);
    return await running;
  }

  /** As `check`, without asking the provider, and without ending anything. */
  async isUsable(user: SignedInUser): Promise<boolean> {
    const found = await this.#find(user);
    return typeof found === "boolean" ? found : found.client !== undefined;
  }

  /** The provider's session of a sign-in, without a client if it must end; without a session, whether it may. */
  async #find(
    user: SignedInUser,
  ): Promise<boolean | { snapshot: OidcSnapshot; client: OidcClient | undefined }> {
    const snapshot = await this.#deps.store.read(user.session.hash);
    // Users without a password sign in at a provider only.
    if (snapshot === undefined) return user.hasPassword !== false;
    const isOwnProvider = snapshot.record.connection !== undefined;
    if (isOwnProvider && (user.operator || await this.#deps.memberships.hasAny(user))) {
      return { snapshot, client: undefined };
    }
    const client = await this.#clientOf(snapshot);
    const isSame = client?.isIssuer(snapshot.record.issuer) ?? false;
    return { snapshot, client: isSame ? client : undefined };
  }

  /** Moves what the provider said to the sign-in that replaces another. */
  async move(fromToken: string, toToken: string): Promise<void> {
    await this.#deps.store.move(await sha256(fromToken), await cookieKey(toToken));
  }

  /** Ends the provider session of a sign-in; returns where its user signs out at the provider too. */
  async end(cookieToken: string, returnTo?: string): Promise<string | undefined> {
    const { store, log } = this.#deps;
    const hash = await sha256(cookieToken);
    const snapshot = await store.read(hash);
    if (snapshot === undefined) return undefined;
    try {
      const client = await this.#clientOf(snapshot);
      if (client === undefined || returnTo === undefined) return undefined;
      const { idToken } = await store.tokensOf(snapshot);
      return await client.signOutUrl(idToken, returnTo);
    } catch (error) {
      if (!(error instanceof OidcError) && !(error instanceof UnsealError)) throw error;
      log.warn("oidc: cannot sign out at the provider", { reason: error.message });
      return undefined;
    } finally {
      await store.end(hash);
    }
  }

  #clientOf({ record }: OidcSnapshot): Promise<OidcClient | undefined> {
    return this.#deps.clients.find(record.connection);
  }

  async #renew(hash: string, client: OidcClient): Promise<boolean> {
    const { store, runtime } = this.#deps;
    for (let n = 0; n < MAX_POLLS; n++) {
      const snapshot = await store.read(hash);
      if (snapshot === undefined) return false;
      const now = runtime.now();
      if (now < snapshot.record.checkAt) return true;
      if ((snapshot.record.busyUntil ?? 0) > now) {
        await runtime.sleep(POLL_MS);
        continue;
      }
      const leased = await store.write(snapshot, { busyUntil: now + LEASE_MS });
      if (leased !== undefined) return await this.#ask(hash, leased, client);
    }
    return false;
  }

  async #ask(hash: string, leased: OidcSnapshot, client: OidcClient): Promise<boolean> {
    const { store, log } = this.#deps;
    try {
      const tokens = await store.tokensOf(leased);
      if (tokens.refreshToken === undefined) throw new OidcError("denied", { detail: "expired" });
      const answer = await client.refresh(tokens.refreshToken);
      if (answer.claims !== undefined && answer.claims.sub !== leased.record.subject) {
        throw new OidcError("invalid", { detail: "a refresh for another person" });
      }
      return await this.#renewed(hash, leased, { tokens, answer });
    } catch (error) {
      if (error instanceof OidcError && error.problem === "provider") {
        log.warn("oidc: the provider cannot be asked", { reason: error.message });
        return await this.#postpone(hash, leased);
      }
      if (!(error instanceof OidcError) && !(error instanceof UnsealError)) throw error;
      log.info("oidc: sign-in ended", { user: leased.record.userId, reason: error.message });
      await store.end(hash, "ended by provider");
      return false;
    }
  }

  async #renewed(
    hash: string,
    leased: OidcSnapshot,
    { tokens, answer }: { tokens: OidcTokens; answer: OidcTokenAnswer },
  ): Promise<boolean> {
    const { refreshToken, idToken, expiresIn } = answer;
    const checkAt = nextCheck(this.#deps.runtime.now(), expiresIn);
    return await this.#store(hash, leased, { checkAt, failingSince: undefined }, {
      refreshToken: refreshToken ?? tokens.refreshToken,
      idToken: idToken ?? tokens.idToken,
    });
  }

  async #postpone(hash: string, leased: OidcSnapshot): Promise<boolean> {
    const { store, runtime } = this.#deps;
    const now = runtime.now();
    const { failingSince = now } = leased.record;
    if (now - failingSince < MAX_FAILING_MS) {
      return await this.#store(hash, leased, { checkAt: now + RETRY_MS, failingSince });
    }
    await store.end(hash, "ended: provider unreachable");
    return false;
  }

  /** False if the sign-in was ended meanwhile. */
  async #store(
    hash: string,
    leased: OidcSnapshot,
    change: Partial<OidcSession>,
    tokens?: OidcTokens,
  ): Promise<boolean> {
    const { store } = this.#deps;
    const next = await store.write(leased, { ...change, busyUntil: undefined }, tokens);
    return next !== undefined || await store.read(hash) !== undefined;
  }
}
