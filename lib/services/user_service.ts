import { AccountLinkStore, COMMAND_LINE_RESET_TTL_MS } from "../store/users/account_link_store.ts";
import { type User, UserStore } from "../store/users/user_store.ts";
import { CredentialStore } from "../store/users/credential_store.ts";
import type { Runtime } from "../platform/runtime.ts";
import { normalizeEmail } from "./credential_rules.ts";

/** A user as the command line lists them. */
export type ListedUser = Pick<User, "email" | "role" | "operator" | "createdAt">;

/** The command line's user commands, for people with access to the store. */
export class UserService {
  #users: UserStore;
  #links: AccountLinkStore;
  #credentials: CredentialStore;

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#users = new UserStore(kv, runtime);
    this.#links = new AccountLinkStore(kv, runtime);
    this.#credentials = new CredentialStore(kv, runtime);
  }

  async list(tenant: string): Promise<ListedUser[]> {
    const users = await this.#users.list(tenant);
    return users.map(({ email, role, operator, createdAt }) => ({
      ...{ email, role, operator, createdAt },
    }));
  }

  /**
   * The token of a one-time link to a new password, for users whom no one can help in the dashboard, such
   * as a sole owner. Ends all their sign-ins; `undefined` if there is no such user.
   */
  async createResetLink(email: string): Promise<{ token: string; email: string } | undefined> {
    const address = normalizeEmail(email);
    const known = address === undefined ? undefined : await this.#users.findByEmail(address);
    if (known === undefined) return undefined;
    const action = "sign out everywhere";
    const user = await this.#credentials.endSignIns(known.tenant, known.id, { action });
    if (user === undefined) return undefined;
    const token = await this.#links.createResetLink(user, { ttlMs: COMMAND_LINE_RESET_TTL_MS });
    return { token, email: user.email };
  }

  /**
   * Removes the second factors of a user whom no one can help in the dashboard, and ends all their sign-ins.
   * `undefined` if there is no such user; `changed` is false for one without factors.
   */
  async resetFactors(email: string): Promise<{ email: string; changed: boolean } | undefined> {
    const address = normalizeEmail(email);
    const user = address === undefined ? undefined : await this.#users.findByEmail(address);
    if (user === undefined) return undefined;
    const done = await this.#credentials.resetFactors(user, { unlessProtected: false });
    return done === "not_found" ? undefined : { email: user.email, changed: done === "reset" };
  }
}
