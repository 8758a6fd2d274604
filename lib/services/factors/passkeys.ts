import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import type { Runtime } from "../../platform/runtime.ts";
import { MAX_PASSKEYS, type Passkey } from "../../store/users/account_security.ts";
import type { AccountSecurityStore } from "../../store/users/account_security_store.ts";
import type { User } from "../../store/users/user_record.ts";
import type { UserStore } from "../../store/users/user_store.ts";
import { CHALLENGE_MS, type PasskeyChallenges } from "./passkey_challenges.ts";
import {
  authenticationResponseSchema,
  registrationResponseSchema,
  userHandleOf,
  userNameOfHandle,
} from "./passkey_responses.ts";

type PasskeyUser = Pick<User, "tenant" | "id" | "email">;

export interface PasskeyDeps {
  challenges: PasskeyChallenges;
  store: AccountSecurityStore;
  users: Pick<UserStore, "get">;
  runtime: Pick<Runtime, "now" | "uuid">;
}

/** What a signature is asked for. */
export type PasskeyUse =
  /** To sign in without a password: the passkey says whose it is. */
  | { kind: "sign in" }
  /** After a password, or again within a sign-in, whose hash the challenge is bound to. */
  | { kind: "confirm"; user: PasskeyUser; signIn: string };

/** Passkeys of dashboard users: WebAuthn, level 3. `origin` is the dashboard's, with a name as host. */
export class Passkeys {
  readonly #deps: PasskeyDeps;

  constructor(deps: PasskeyDeps) {
    this.#deps = deps;
  }

  /** What a browser needs to create a passkey for this user. */
  async creationOptions(
    user: PasskeyUser,
    origin: string,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { passkeys } = await this.#deps.store.read(user);
    return await generateRegistrationOptions({
      ...{ rpID: new URL(origin).hostname, rpName: "Agent Chat" },
      ...{ userName: user.email, userDisplayName: user.email, userID: userHandleOf(user) },
      challenge: await this.#deps.challenges.issue(creationPurpose(user)),
      timeout: CHALLENGE_MS,
      attestationType: "none",
      excludeCredentials: passkeys.map(toDescriptor),
      authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
    });
  }

  /** Adds a passkey that the browser created; says why not otherwise. */
  async add(
    user: PasskeyUser,
    { origin, name, response }: { origin: string; name: string; response: unknown },
  ): Promise<"added" | "invalid" | "too_many"> {
    const parsed = registrationResponseSchema.safeParse(response);
    if (!parsed.success) return "invalid";
    const challenge = { value: "" };
    const verified = await verifyRegistrationResponse({
      response: parsed.data as RegistrationResponseJSON,
      expectedChallenge: this.#expecting(creationPurpose(user), challenge),
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      requireUserVerification: false,
    }).catch(() => undefined);
    if (!verified?.verified || !await this.#deps.challenges.useUp(challenge.value)) {
      return "invalid";
    }
    const { credential } = verified.registrationInfo;
    const passkey: Passkey = {
      id: this.#deps.runtime.uuid(),
      name,
      credentialId: credential.id,
      publicKey: credential.publicKey,
      counter: credential.counter,
      transports: credential.transports ?? [],
      createdAt: this.#deps.runtime.now(),
    };
    const isAdded = await this.#deps.store.update(user, (known) => {
      const others = known.passkeys.filter((one) => one.credentialId !== passkey.credentialId);
      if (others.length >= MAX_PASSKEYS) return undefined;
      return { ...known, passkeys: [...others, passkey] };
    }, { action: "add passkey", after: { name } });
    return isAdded ? "added" : "too_many";
  }

  /** What a browser needs to use a passkey. */
  async requestOptions(
    use: PasskeyUse,
    origin: string,
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const isSignIn = use.kind === "sign in";
    const known = isSignIn ? [] : (await this.#deps.store.read(use.user)).passkeys;
    return await generateAuthenticationOptions({
      rpID: new URL(origin).hostname,
      challenge: await this.#deps.challenges.issue(requestPurpose(use)),
      timeout: CHALLENGE_MS,
      allowCredentials: known.map(toDescriptor),
      userVerification: isSignIn ? "required" : "preferred",
    });
  }

  /**
   * The user whose passkey signed; `undefined` for any other answer. Without a password, the authenticator
   * must have verified the person too, which makes two factors.
   */
  async verify(
    use: PasskeyUse,
    { origin, response }: { origin: string; response: unknown },
  ): Promise<User | undefined> {
    const parsed = authenticationResponseSchema.safeParse(response);
    if (!parsed.success) return undefined;
    const answer = parsed.data as AuthenticationResponseJSON;
    const name = use.kind === "sign in"
      ? userNameOfHandle(answer.response.userHandle ?? "")
      : use.user;
    const user = name && await this.#deps.users.get(name.tenant, name.id);
    if (user === undefined) return undefined;
    const { passkeys } = await this.#deps.store.read(user);
    const passkey = passkeys.find(({ credentialId }) => credentialId === answer.id);
    if (passkey === undefined) return undefined;
    const challenge = { value: "" };
    const verified = await verifyAuthenticationResponse({
      response: answer,
      expectedChallenge: this.#expecting(requestPurpose(use), challenge),
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
      },
      requireUserVerification: use.kind === "sign in",
    }).catch(() => undefined);
    if (!verified?.verified || !await this.#deps.challenges.useUp(challenge.value)) {
      return undefined;
    }
    const { newCounter } = verified.authenticationInfo;
    const isCurrent = await this.#recordUse(user, passkey, newCounter);
    return isCurrent ? user : undefined;
  }

  /** False if the passkey was removed, or its counter was passed, in the meantime: a copy may exist. */
  #recordUse(user: User, { id }: Passkey, counter: number): Promise<boolean> {
    const usedAt = this.#deps.runtime.now();
    return this.#deps.store.update(user, (known) => {
      const current = known.passkeys.find((passkey) => passkey.id === id);
      if (current === undefined || (counter > 0 && counter <= current.counter)) return undefined;
      const used = { ...current, counter, usedAt };
      return { ...known, passkeys: known.passkeys.map((one) => one.id === id ? used : one) };
    });
  }

  /** Checks a challenge, which browsers return in base64url, and passes it on. */
  #expecting(purpose: string, found: { value: string }): (encoded: string) => Promise<boolean> {
    return async (encoded) => {
      const bytes = Uint8Array.fromBase64(encoded, { alphabet: "base64url" });
      found.value = new TextDecoder().decode(bytes);
      return await this.#deps.challenges.isValid(found.value, purpose);
    };
  }
}

/** Browsers with passkeys require a secure origin and the name of a host. */
export function canHavePasskeys(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  if (protocol !== "https:") return hostname === "localhost" || hostname.endsWith(".localhost");
  return !/^\[|^[\d.]+$/.test(hostname);
}

function toDescriptor({ credentialId, transports }: Passkey) {
  return { id: credentialId, transports };
}

function creationPurpose({ tenant, id }: PasskeyUser): string {
  return `create ${tenant} ${id}`;
}

function requestPurpose(use: PasskeyUse): string {
  return use.kind === "sign in" ? "sign in" : `confirm ${use.user.id} ${use.signIn}`;
}
