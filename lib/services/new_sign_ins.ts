import { addressNetwork } from "../platform/address_block.ts";
import { sha256 } from "../platform/crypto/signer.ts";
import type { Logger } from "../platform/log.ts";
import type { Runtime } from "../platform/runtime.ts";
import { setActor } from "../store/audit/actor.ts";
import { hasFactor, MAX_NOTICES } from "../store/users/account_security.ts";
import type { AccountSecurityStore } from "../store/users/account_security_store.ts";
import {
  type FactorProof,
  NO_DETAILS,
  type SignInDetails,
} from "../store/users/sign_in_details.ts";
import type { LiveSignIn, PasswordTimes, SignInStore } from "../store/users/sign_in_store.ts";
import type { User } from "../store/users/user_store.ts";
import { describeDevice } from "./factors/describe_device.ts";
import type { KnownBrowserTokens } from "./known_browser_tokens.ts";
import type { OidcSessions } from "./oidc/oidc_sessions.ts";

/** The browser that signs in. */
export interface SignInClient {
  address: string;
  userAgent?: string | null | undefined;
  /** The token of a known browser. */
  browserToken?: string | undefined;
}

/**
 * The cookie token of a new sign-in and the token of the known browser, which is absent while the second
 * factor is missing: until then the cookie does not sign in.
 */
export type SignInTokens = { cookieToken: string; browserToken?: string | undefined };

/** What an OpenID Connect provider proved: when it asked for credentials, and what to store with it. */
export interface ProviderProof {
  provenAt: number;
  also: (step: Deno.AtomicOperation, signInKey: Deno.KvKey) => void;
}

export interface NewSignInOptions {
  /** With it the sign-in is audited, and other devices are notified of one that is new. */
  from?: SignInClient | undefined;
  provider?: ProviderProof | undefined;
  /** The second factor that was proven. */
  factor?: FactorProof["kind"] | undefined;
  /** Of the sign-in that this one follows; with `times` it proves nothing new. */
  follows?: { details: SignInDetails; times?: PasswordTimes | undefined } | undefined;
  /** The account was created for this sign-in, so that no device of it is known. */
  isNewAccount?: boolean;
}

export interface NewSignInDeps {
  runtime: Runtime;
  browsers: KnownBrowserTokens;
  security: AccountSecurityStore;
  signIns: SignInStore;
  /** Moves what a provider gave for a sign-in. */
  oidc?: Pick<OidcSessions, "move"> | undefined;
  log: Pick<Logger, "info">;
}

/** Starts sign-ins. Whatever way leads here, a user with a second factor must prove it. */
export class NewSignIns {
  readonly #deps: NewSignInDeps;

  constructor(deps: NewSignInDeps) {
    this.#deps = deps;
  }

  /**
   * Signs in a user who has just authenticated. If they have a second factor that was not proven, the
   * cookie signs in only after `complete`, whatever way led here.
   */
  async create(user: User, options: NewSignInOptions = {}): Promise<SignInTokens> {
    const { from, provider, factor, follows } = options;
    const { tenant, id: userId, epoch, email: name } = user;
    setActor({ kind: "user", id: userId, name });
    const now = this.#deps.runtime.now();
    const details: SignInDetails = {
      ...from === undefined ? followedBy(follows?.details) : detailsOf(from),
      ...factor !== undefined && { factor: { kind: factor, at: now } },
    };
    const isPending = details.factor === undefined &&
      hasFactor(await this.#deps.security.read(user));
    const { also, provenAt = 0 } = provider ?? {};
    // Always a new token, so that a cookie planted before the sign-in is worthless.
    const cookieToken = await this.#deps.signIns.create({ tenant, userId, epoch }, {
      ...{ details, isPending, also },
      ...from && !isPending && { audit: { name, address: from.address, factor } },
      ...also && { replaces: { createdAt: now, provenAt } },
      ...follows?.times && { replaces: follows.times },
    });
    if (isPending) return { cookieToken };
    return await this.#welcome(user, { cookieToken, details, at: now, ...options });
  }

  /** Replaces the pending sign-in of a user who has proven a second factor now. */
  async complete(
    user: User,
    { cookieToken, live, factor, from }: {
      cookieToken: string;
      live: LiveSignIn;
      factor: FactorProof["kind"];
      from: SignInClient;
    },
  ): Promise<SignInTokens> {
    setActor({ kind: "user", id: user.id, name: user.email });
    const details = { ...detailsOf(from), factor: { kind: factor, at: this.#deps.runtime.now() } };
    const { tenant, userId, epoch, createdAt } = live;
    const token = await this.#deps.signIns.create({ tenant, userId, epoch }, {
      ...{ details, replaces: { createdAt, provenAt: this.#deps.runtime.now() } },
      audit: { name: user.email, address: from.address, factor },
    });
    await this.#deps.oidc?.move(cookieToken, token);
    await this.#deps.signIns.delete(cookieToken);
    return await this.#welcome(user, { cookieToken: token, details, from, at: createdAt });
  }

  /** What follows a complete sign-in. */
  async #welcome(
    user: User,
    { cookieToken, details, at, from, isNewAccount = false }: NewSignInOptions & {
      cookieToken: string;
      details: SignInDetails;
      /** When the sign-in began. */
      at: number;
    },
  ): Promise<SignInTokens> {
    if (from !== undefined) {
      const { address, browserToken } = from;
      this.#deps.log.info("sign-in: signed in", { user: user.id, address });
      const known = browserToken && await this.#deps.browsers.identify(browserToken);
      if (!isNewAccount && (!known || known.userId !== user.id)) {
        await this.#noticeDevice(user, { cookieToken, details, at });
      }
    }
    return { cookieToken, browserToken: await this.#deps.browsers.issue(user.id) };
  }

  /** Other devices of the user show it. */
  async #noticeDevice(
    user: User,
    { cookieToken, details: { device, network }, at }: {
      cookieToken: string;
      details: SignInDetails;
      at: number;
    },
  ): Promise<void> {
    const { runtime, security } = this.#deps;
    const signIn = await sha256(cookieToken);
    const notice = { id: runtime.uuid(), at, device, network, signIn };
    await security.update(user, (known) => {
      return { ...known, notices: [...known.notices, notice].slice(-MAX_NOTICES) };
    });
  }
}

/** What the next sign-in has of an earlier one: not the proof of a provider, whose session ends with that. */
function followedBy(details: SignInDetails = NO_DETAILS): SignInDetails {
  const { factor, ...rest } = details;
  return factor === undefined || factor.kind === "provider" ? rest : details;
}

/** Where a sign-in is used. */
export function detailsOf({ address, userAgent }: SignInClient): SignInDetails {
  return { device: describeDevice(userAgent ?? null), network: addressNetwork(address) };
}
