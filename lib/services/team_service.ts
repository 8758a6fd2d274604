import { setActor } from "../store/audit/actor.ts";
import {
  type AccountLink,
  AccountLinkStore,
  type FoundLink,
  type Invitation,
} from "../store/users/account_link_store.ts";
import { type MemberChangeResult, type User, UserStore } from "../store/users/user_store.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { SignInService, SignInTokens } from "./sign_in_service.ts";
import { type CredentialIssues, credentialIssues, normalizeEmail } from "./credential_rules.ts";
import type { PasswordGate, PasswordRejection } from "./password_gate.ts";
import type { PasswordHasher } from "../platform/crypto/password_hasher.ts";
import type { Role, SignedInUser } from "./signed_in_user.ts";

/** A user as their colleagues see them. */
export type Member = Omit<User, "passwordHash" | "v" | "epoch">;

export type InviteResult =
  | { token: string; invitation: Invitation }
  | { refused: "invalid" | "already_member" };

/** The new sign-in; `gone` tells nothing of why a link does not work. */
export type LinkResult =
  | SignInTokens
  | PasswordRejection
  | { refused: "gone" }
  | { refused: "invalid"; faults: CredentialIssues };

/** Why a member was not changed; `operator` where only an operator may. */
export type MemberRejectionReason =
  | Extract<MemberChangeResult, { refused: string }>["refused"]
  | "operator";

/** Who belongs to a tenant: invitations by link, roles, lost passwords, removal. */
export class TeamService {
  #runtime: Runtime;
  #users: UserStore;
  #links: AccountLinkStore;
  #accounts: Pick<SignInService, "createSignIn">;
  #hasher: PasswordHasher;
  #gate: PasswordGate;

  constructor(kv: Deno.Kv, options: {
    runtime: Runtime;
    hasher: PasswordHasher;
    gate: PasswordGate;
    accounts: Pick<SignInService, "createSignIn">;
  }) {
    this.#runtime = options.runtime;
    this.#users = new UserStore(kv, options.runtime);
    this.#links = new AccountLinkStore(kv, options.runtime);
    this.#accounts = options.accounts;
    this.#hasher = options.hasher;
    this.#gate = options.gate;
  }

  async members(tenant: string): Promise<Member[]> {
    return (await this.#users.list(tenant)).map(toMember);
  }

  async member(tenant: string, id: string): Promise<Member | undefined> {
    const user = await this.#users.get(tenant, id);
    return user && toMember(user);
  }

  async invitations(tenant: string): Promise<Invitation[]> {
    const all = await this.#links.listInvitations(tenant);
    const stand = await Promise.all(all.map((link) => this.#stands(link)));
    return all.filter((_, n) => stand[n]);
  }

  /**
   * A link to join. Only members of this very tenant are told apart: whether an address has an account
   * elsewhere is nobody's business here.
   */
  async invite(
    tenant: string,
    input: { email: string; role: Role },
    by?: SignedInUser,
  ): Promise<InviteResult> {
    const email = normalizeEmail(input.email);
    if (email === undefined) return { refused: "invalid" };
    const known = await this.#users.findByEmail(email);
    if (known?.tenant === tenant) return { refused: "already_member" };
    const maker = by && { tenant: by.tenant, id: by.id };
    return await this.#links.createInvitation(tenant, { email, role: input.role, by: maker });
  }

  withdrawInvitation(tenant: string, id: string): Promise<boolean> {
    return this.#links.revokeInvitation(tenant, id);
  }

  /** Whom a live link is for; `undefined` for one that is unknown, used or expired. */
  async findLink(token: string, kind: AccountLink["kind"]): Promise<AccountLink | undefined> {
    return (await this.#find(token, kind))?.link;
  }

  /** Makes the account that an invitation is for, and signs it in. */
  async join(
    token: string,
    password: string,
    client: LinkClient = {},
  ): Promise<LinkResult> {
    const found = await this.#find(token, "invite");
    if (found === undefined) return { refused: "gone" };
    return await this.#withPassword(found, { password, client }, async (passwordHash) => {
      const { tenant, email, role } = found.link;
      const id = this.#runtime.uuid();
      const createdAt = this.#runtime.now();
      const account = { id, tenant, email, passwordHash, role, createdAt };
      const user: User = { v: 1, ...account, operator: false, epoch: 0 };
      setActor({ kind: "user", id, name: email });
      // An address that another tenant has in the meantime looks like a link that has been used.
      return await this.#users.createFromInvitation(user, found) ? user : undefined;
    });
  }

  /** A token for a member's new password. Operators reach everything, so only one may reset another. */
  async createResetLink(
    by: SignedInUser,
    id: string,
  ): Promise<{ token: string } | MemberRejection> {
    const user = await this.#users.get(by.tenant, id);
    if (user === undefined) return { refused: "not_found" };
    if (user.operator && !by.operator) return { refused: "operator" };
    return {
      token: await this.#links.createResetLink(user, { by: { tenant: by.tenant, id: by.id } }),
    };
  }

  /** Sets the password that a reset link is for, ends the user's other sign-ins, and signs them in. */
  async resetPassword(
    token: string,
    password: string,
    client: LinkClient = {},
  ): Promise<LinkResult> {
    const found = await this.#find(token, "reset");
    if (found === undefined) return { refused: "gone" };
    return await this.#withPassword(found, { password, client }, (passwordHash) => {
      const { tenant, id, email } = found.link;
      setActor({ kind: "user", id, name: email });
      const change = { passwordHash, link: found, action: "reset password" };
      return this.#users.endSignIns(tenant, id, change);
    });
  }

  async changeRole(
    by: SignedInUser,
    id: string,
    role: Role,
  ): Promise<MemberChangeResult | MemberRejection> {
    return await this.#refusal(by, id) ?? await this.#users.changeRole(by.tenant, id, role);
  }

  async remove(by: SignedInUser, id: string): Promise<MemberChangeResult | MemberRejection> {
    return await this.#refusal(by, id) ?? await this.#users.remove(by.tenant, id);
  }

  async #find<K extends AccountLink["kind"]>(token: string, kind: K) {
    const found = await this.#links.find(token, kind);
    return found !== undefined && await this.#stands(found.link) ? found : undefined;
  }

  /**
   * Whether a link still stands. Who made it knows its token: an owner who is removed, or whose cookie
   * was stolen for a while, must not have kept a way back in.
   */
  async #stands(link: AccountLink): Promise<boolean> {
    const maker = link.by && await this.#users.get(link.by.tenant, link.by.id);
    if (link.by !== undefined) {
      const isOwner = maker?.tenant === link.tenant && maker.role === "owner";
      if (!isOwner && !maker?.operator) return false;
    }
    if (link.kind === "invite" || link.epoch === undefined) return true;
    return (await this.#users.get(link.tenant, link.id))?.epoch === link.epoch;
  }

  async #refusal(by: SignedInUser, id: string): Promise<MemberRejection | undefined> {
    const user = await this.#users.get(by.tenant, id);
    return user?.operator && !by.operator ? { refused: "operator" } : undefined;
  }

  async #withPassword(
    { link }: FoundLink,
    { password, client }: { password: string; client: LinkClient },
    use: (passwordHash: string) => Promise<User | undefined>,
  ): Promise<LinkResult> {
    const faults = await credentialIssues({ email: link.email, password });
    if (faults.password !== undefined) return { refused: "invalid", faults };
    return await this.#gate.run<LinkResult>(`link ${link.id}`, async () => {
      const user = await use(await this.#hasher.hash(password));
      return user === undefined
        ? { refused: "gone" }
        : await this.#accounts.createSignIn(user, client);
    });
  }
}

/** Who spends a link: where the address is known, the sign-in is in the logs with it. */
export interface LinkClient {
  address?: string;
}

export interface MemberRejection {
  refused: MemberRejectionReason;
}

function toMember({ passwordHash: _hash, v: _v, epoch: _epoch, ...member }: User): Member {
  return member;
}
