import type { Runtime } from "../platform/runtime.ts";
import { CredentialStore } from "../store/users/credential_store.ts";
import { type OwnSignIn, OwnSignIns } from "../store/users/own_sign_ins.ts";
import { SignInStore } from "../store/users/sign_in_store.ts";
import type { OidcSessions } from "./oidc/oidc_sessions.ts";
import type { SignedInUser } from "./signed_in_user.ts";
import type { NewPasswordResult, SignInService } from "./sign_in_service.ts";

export interface OwnSessionsDeps {
  runtime: Runtime;
  signIn: Pick<SignInService, "setPassword">;
  oidc?: Pick<OidcSessions, "move">;
}

/** A user's own sessions and password. The user is the one whose account it is. */
export class OwnSessions {
  readonly #deps: OwnSessionsDeps;
  readonly #own: OwnSignIns;
  readonly #signIns: SignInStore;
  readonly #credentials: CredentialStore;

  constructor(kv: Deno.Kv, deps: OwnSessionsDeps) {
    this.#deps = deps;
    this.#own = new OwnSignIns(kv, deps.runtime);
    this.#signIns = new SignInStore(kv, deps.runtime);
    this.#credentials = new CredentialStore(kv, deps.runtime);
  }

  /** The user's sign-ins, the latest used first. */
  list({ tenant, id, session: { epoch } }: SignedInUser): Promise<OwnSignIn[]> {
    return this.#own.list({ tenant, id, epoch });
  }

  /** Ends one of the user's sign-ins; false if they have no such one. */
  end(user: SignedInUser, hash: string): Promise<boolean> {
    return this.#own.end(user, hash);
  }

  /**
   * Ends all sign-ins of a user and creates one as old as the current one. Returns its token; `undefined` if
   * the current one has ended since, which then does not come back.
   */
  async signOutElsewhere(
    { tenant, id, session: { details, epoch } }: SignedInUser,
    { cookieToken, action = "sign out everywhere" }: { cookieToken: string; action?: string },
  ): Promise<string | undefined> {
    // Whatever has become of the current one: a removed factor must not leave others.
    const next = await this.#credentials.endSignIns(tenant, id, { action, epoch });
    if (next === undefined) return undefined;
    const signIn = { tenant, userId: id, epoch: next.epoch };
    const token = await this.#signIns.replace(cookieToken, signIn, { details });
    if (token !== undefined) await this.#deps.oidc?.move(cookieToken, token);
    return token;
  }

  /**
   * Sets a new password, ends all sign-ins and creates a new one; `gone` if this one has ended since. The
   * password is no proof of a stronger factor, so the new one is then as old as this one.
   */
  async changePassword(user: SignedInUser, password: string): Promise<NewPasswordResult> {
    const { tenant, id, email, stepUp, provenAt } = user;
    const { hash, epoch, createdAt, details } = user.session;
    const times = stepUp === "password" ? undefined : { createdAt, provenAt };
    const input = { client: `user ${id}`, email, password, follows: { details, times } };
    return await this.#deps.signIn.setPassword(
      input,
      (passwordHash) =>
        this.#credentials.endSignIns(tenant, id, {
          ...{ passwordHash, epoch, signInHash: hash, action: "change password" },
        }),
    );
  }
}
