import type { Signer } from "../../platform/crypto/signer.ts";
import { UnsealError } from "../../platform/crypto/sealing.ts";
import type { Runtime } from "../../platform/runtime.ts";
import {
  type AccountSecurity,
  canDismiss,
  type DeviceNotice,
  hasFactor,
} from "../../store/users/account_security.ts";
import type { AccountSecurityStore } from "../../store/users/account_security_store.ts";
import type { FactorProof } from "../../store/users/sign_in_details.ts";
import { MAX_FAILURES, type SignInFailureStore } from "../../store/users/sign_in_failure_store.ts";
import type { TotpSecrets } from "../../store/users/totp_secrets.ts";
import type { User } from "../../store/users/user_record.ts";
import type { SignedInUser } from "../signed_in_user.ts";
import { newRecoveryCodes, recoveryCodeHash } from "./recovery_codes.ts";
import { acceptedStep, newTotpSecret } from "./totp_codes.ts";

/** How long a secret that was offered for an authenticator app can be confirmed. */
const OFFER_MS = 30 * 60_000;

type FactorUser = Pick<User, "tenant" | "id" | "email">;

export interface SecondFactorDeps {
  store: AccountSecurityStore;
  secrets: TotpSecrets;
  failures: SignInFailureStore;
  signer: Pick<Signer, "sign" | "verify">;
  runtime: Pick<Runtime, "now" | "randomBytes">;
}

/** A secret for an authenticator app, and the proof that this service offered it to this user. */
export interface TotpOffer {
  secret: string;
  proof: string;
}

export type CodeRejection =
  | { rejected: "wrong_code"; isLocked: boolean }
  | { rejected: "too_many_tries"; retryAfterMs: number };

/** Which factors a user has, without anything secret. */
export interface FactorSummary {
  totp?: { createdAt: number };
  passkeys: { id: string; name: string; createdAt: number; usedAt?: number | undefined }[];
  recoveryCodes: number;
}

/** Authenticator apps and recovery codes of dashboard users, and what a user has. */
export class SecondFactors {
  readonly #deps: SecondFactorDeps;

  constructor(deps: SecondFactorDeps) {
    this.#deps = deps;
  }

  async summary(user: Pick<User, "tenant" | "id">): Promise<FactorSummary> {
    const { totp, passkeys, recovery } = await this.#deps.store.read(user);
    return {
      ...totp && { totp: { createdAt: totp.createdAt } },
      passkeys: passkeys.map(({ id, name, createdAt, usedAt }) => ({
        id,
        name,
        createdAt,
        usedAt,
      })),
      recoveryCodes: recovery?.hashes.length ?? 0,
    };
  }

  /** The ids of a tenant's users who have a second factor. */
  usersWithFactor(tenant: string): Promise<Set<string>> {
    return this.#deps.store.usersWithFactor(tenant);
  }

  isRequired(tenant: string): Promise<boolean> {
    return this.#deps.store.isFactorRequired(tenant);
  }

  /** Users of the tenant without a second factor have to add one with their next request. */
  require(tenant: string, isRequired: boolean): Promise<void> {
    return this.#deps.store.requireFactor(tenant, isRequired);
  }

  /** A new secret for an authenticator app; nothing is stored before a code confirms it. */
  async offerTotp(user: FactorUser): Promise<TotpOffer> {
    const secret = newTotpSecret((n) => this.#deps.runtime.randomBytes(n));
    const exp = this.#deps.runtime.now() + OFFER_MS;
    return {
      secret,
      proof: `${exp}.${await this.#deps.signer.sign(offerText(user, secret, exp))}`,
    };
  }

  /** Whether this service offered the secret to this user, within the last 30 minutes. */
  async isOffer(user: FactorUser, { secret, proof }: TotpOffer): Promise<boolean> {
    const [exp = "", mac = ""] = proof.split(".", 2);
    if (!/^\d{1,15}$/.test(exp) || Number(exp) < this.#deps.runtime.now()) return false;
    return await this.#deps.signer.verify(offerText(user, secret, Number(exp)), mac);
  }

  /** Adds an authenticator app in place of an earlier one, if the code is right. */
  async confirmTotp(user: FactorUser, offer: TotpOffer, code: string): Promise<boolean> {
    if (!await this.isOffer(user, offer)) return false;
    const now = this.#deps.runtime.now();
    const counter = acceptedStep(digitsOf(code), { secret: offer.secret, after: 0, now });
    if (counter === undefined) return false;
    const sealed = this.#deps.secrets.seal(user, offer.secret);
    const totp = { sealed, counter, createdAt: now };
    return await this.#deps.store.update(user, (known) => ({ ...known, totp }), {
      action: "add authenticator app",
    });
  }

  /** New recovery codes in place of the earlier ones; they are shown once. */
  async renewRecoveryCodes(user: FactorUser): Promise<string[]> {
    const codes = newRecoveryCodes((n) => this.#deps.runtime.randomBytes(n));
    const hashes = await Promise.all(codes.map(recoveryCodeHash));
    const recovery = { hashes, createdAt: this.#deps.runtime.now() };
    const audit = { action: "new recovery codes" };
    await this.#deps.store.update(user, (known) => ({ ...known, recovery }), audit);
    return codes;
  }

  /** Recovery codes for a user without any, which is after adding the first factor. */
  async firstRecoveryCodes(user: FactorUser): Promise<string[] | undefined> {
    const { recovery } = await this.#deps.store.read(user);
    return recovery === undefined ? await this.renewRecoveryCodes(user) : undefined;
  }

  /**
   * Checks a code of the authenticator app, or a recovery code, which is used up. Failures count per user and
   * `place`: a known browser, a sign-in, or one name for everyone else.
   */
  async checkCode(
    user: FactorUser,
    code: string,
    { place, only }: { place: string; only?: "recovery" | undefined },
  ): Promise<FactorProof["kind"] | CodeRejection> {
    const name = `second factor of ${user.id}`;
    const { failures } = this.#deps;
    const state = await failures.recordAttempt(name, place);
    if (state.waitMs > 0) return { rejected: "too_many_tries", retryAfterMs: state.waitMs };
    const isTotp = /^\d{6}$/.test(digitsOf(code));
    const isRight = isTotp
      ? only !== "recovery" && await this.#useTotp(user, digitsOf(code))
      : await this.#useRecoveryCode(user, code);
    if (!isRight) return { rejected: "wrong_code", isLocked: state.here >= MAX_FAILURES };
    await failures.clear(name, place);
    return isTotp ? "totp" : "recovery";
  }

  /** False if the user has none. The caller ends the sign-ins that relied on it. */
  removeTotp(user: FactorUser): Promise<boolean> {
    return this.#remove(user, "remove authenticator app", (known) => {
      if (known.totp === undefined) return undefined;
      const { totp: _totp, ...rest } = known;
      return rest;
    });
  }

  /** False if the user has no such passkey. The caller ends the sign-ins that relied on it. */
  removePasskey(user: FactorUser, id: string): Promise<boolean> {
    return this.#remove(user, "remove passkey", (known) => {
      const passkeys = known.passkeys.filter((passkey) => passkey.id !== id);
      return passkeys.length === known.passkeys.length ? undefined : { ...known, passkeys };
    });
  }

  /** The user knows the new device, or has ended its sign-in: drops the notices that name either. */
  async dismissNotice(
    user: FactorUser & Pick<SignedInUser, "session">,
    { notice, signIn }: { notice?: string | null; signIn?: string | null },
  ): Promise<void> {
    await this.#deps.store.update(user, (known) => {
      const isMeant = (one: DeviceNotice) => one.id === notice || one.signIn === signIn;
      const notices = known.notices.filter((one) =>
        !isMeant(one) || !canDismiss(one, user.session)
      );
      return notices.length === known.notices.length ? undefined : { ...known, notices };
    });
  }

  /** Recovery codes without a factor would be useless, and surprise later. */
  #remove(
    user: FactorUser,
    action: string,
    change: (known: AccountSecurity) => AccountSecurity | undefined,
  ): Promise<boolean> {
    return this.#deps.store.update(user, (known) => {
      const next = change(known);
      if (next === undefined || hasFactor(next)) return next;
      const { recovery: _recovery, ...rest } = next;
      return rest;
    }, { action });
  }

  async #useTotp(user: FactorUser, code: string): Promise<boolean> {
    const { totp } = await this.#deps.store.read(user);
    if (totp === undefined) return false;
    const secret = await this.#deps.secrets.unseal(user, totp.sealed).catch(ifUnreadable);
    if (secret === undefined) return false;
    const now = this.#deps.runtime.now();
    const counter = acceptedStep(code, { secret, after: totp.counter, now });
    if (counter === undefined) return false;
    return await this.#deps.store.update(user, (known) => {
      // The same code at the same time, or another app in the meantime.
      if (known.totp === undefined || known.totp.createdAt !== totp.createdAt) return undefined;
      if (known.totp.counter >= counter) return undefined;
      return { ...known, totp: { ...known.totp, counter } };
    });
  }

  async #useRecoveryCode(user: FactorUser, code: string): Promise<boolean> {
    const used = await recoveryCodeHash(code);
    return await this.#deps.store.update(user, (known) => {
      const { recovery } = known;
      if (recovery === undefined || !recovery.hashes.includes(used)) return undefined;
      const hashes = recovery.hashes.filter((hash) => hash !== used);
      return { ...known, recovery: { ...recovery, hashes } };
    }, { action: "use recovery code" });
  }
}

/** After the loss of the encryption key no code is right; recovery codes and passkeys still work. */
function ifUnreadable(error: unknown): undefined {
  if (!(error instanceof UnsealError)) throw error;
}

/** The prefix keeps an offer from ever being valid as another signature. */
function offerText({ tenant, id }: FactorUser, secret: string, exp: number): string {
  return `totp offer ${tenant} ${id} ${secret} ${exp}`;
}

/** Apps show a code as two groups. */
function digitsOf(code: string): string {
  return code.replaceAll(/\s/g, "");
}
