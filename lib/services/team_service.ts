import { ApiError } from "../schemas/api_error.ts";
import { setActor } from "../store/audit/actor.ts";
import {
  type AccountLink,
  AccountLinkStore,
  type FoundLink,
  type Invitation,
} from "../store/users/account_link_store.ts";
import { type MemberChangeResult, type User, UserStore } from "../store/users/user_store.ts";
import { CredentialStore } from "../store/users/credential_store.ts";
import { isMember } from "../store/users/membership_record.ts";
import { MembershipStore } from "../store/users/membership_store.ts";
import { OwnSignIns } from "../store/users/own_sign_ins.ts";
import type { PartRequest } from "../store/values/record.ts";
import type { Runtime } from "../platform/runtime.ts";
import type { SignInClient } from "./new_sign_ins.ts";
import type { NewPasswordResult, SignInService } from "./sign_in_service.ts";
import { ValidLinks } from "./valid_links.ts";
import type { SecondFactors } from "./factors/second_factors.ts";
import { normalizeEmail } from "./credential_rules.ts";
import type { Role, SignedInUser } from "./signed_in_user.ts";

/** A user as other members of the tenant see them. */
export type Member = Omit<User, "passwordHash" | "v" | "epoch">;

/** Who manages the team. */
export type TeamManager = Pick<SignedInUser, "tenant" | "id" | "operator">;

export type InviteResult =
  | { token: string; invitation: Invitation; replaced: boolean }
  | { rejected: "invalid" | "already_member" };

/**
 * Why a member was not changed; `operator` if only an operator may change them, `account_elsewhere` and
 * `account_shared` as in `MemberAccount`.
 */
export type MemberRejectionReason =
  | Extract<MemberChangeResult, { rejected: string }>["rejected"]
  | "operator"
  | `account_${Exclude<MemberAccount, "here">}`;

/** Where a member's account is: in another tenant, or here but also used in others. */
export type MemberAccount = "here" | "elsewhere" | "shared";

export interface TeamDeps {
  runtime: Runtime;
  signIn: Pick<SignInService, "setPassword">;
  factors: Pick<SecondFactors, "usersWithFactor" | "summary">;
}

/** A tenant's members: invitations by link, roles, password resets, removal. */
export class TeamService {
  readonly #deps: TeamDeps;
  readonly #users: UserStore;
  readonly #signIns: OwnSignIns;
  readonly #links: AccountLinkStore;
  readonly #valid: ValidLinks;
  readonly #credentials: CredentialStore;
  readonly #memberships: MembershipStore;
  readonly #kv: Deno.Kv;

  constructor(kv: Deno.Kv, deps: TeamDeps) {
    this.#kv = kv;
    this.#deps = deps;
    this.#credentials = new CredentialStore(kv, deps.runtime);
    this.#memberships = new MembershipStore(kv, deps.runtime);
    this.#users = new UserStore(kv, deps.runtime);
    this.#signIns = new OwnSignIns(kv, deps.runtime);
    this.#links = new AccountLinkStore(kv, deps.runtime);
    this.#valid = new ValidLinks({ links: this.#links, users: this.#users });
  }

  async members(tenant: string): Promise<Member[]> {
    return (await this.#users.list(tenant)).map(toMember);
  }

  /** A part of `members`. */
  async membersPart(tenant: string, part: PartRequest): Promise<Member[]> {
    return (await this.#users.listPart(tenant, part)).map(toMember);
  }

  countMembers(tenant: string): Promise<number> {
    return this.#users.count(tenant);
  }

  async member(tenant: string, id: string): Promise<Member | undefined> {
    const user = await this.#users.get(tenant, id);
    return user && toMember(user);
  }

  async invitations(tenant: string): Promise<Invitation[]> {
    return await this.#valid.invitations(tenant);
  }

  /**
   * A link to join. Does not reveal whether an address has an account in another tenant. Throws `ApiError`
   * 403 if the plan allows no more users.
   */
  async invite(
    tenant: string,
    input: { email: string; role: Role },
    by?: TeamManager,
  ): Promise<InviteResult> {
    const email = normalizeEmail(input.email);
    if (email === undefined) return { rejected: "invalid" };
    if (await isMember(this.#kv, tenant, email)) return { rejected: "already_member" };
    const maker = by && { tenant: by.tenant, id: by.id };
    const create = () =>
      this.#links.createInvitation(tenant, { email, role: input.role, by: maker });
    try {
      return await create();
    } catch (error) {
      const isFull = error instanceof ApiError && error.code === "quota_exceeded";
      if (!isFull || !await this.#withdrawVoid(tenant)) throw error;
      return await create();
    }
  }

  /**
   * Withdraws the invitations that count as users, but can neither be used nor seen, because their creators
   * have lost their rights; false if there are none.
   */
  async #withdrawVoid(tenant: string): Promise<boolean> {
    const valid = new Set((await this.invitations(tenant)).map(({ id }) => id));
    const all = await this.#links.listInvitations(tenant);
    const withdrawn = all.filter(({ id }) => !valid.has(id))
      .map(({ id }) => this.#links.revokeInvitation(tenant, id));
    return (await Promise.all(withdrawn)).includes(true);
  }

  withdrawInvitation(tenant: string, id: string): Promise<boolean> {
    return this.#links.revokeInvitation(tenant, id);
  }

  /** The recipient of a link; `undefined` if the link is unknown, used or expired. */
  async findLink(token: string, kind: AccountLink["kind"]): Promise<AccountLink | undefined> {
    return (await this.#valid.find(token, kind))?.link;
  }

  /** The invitation of a token, to join with an account that exists. */
  findInvitation(token: string): Promise<FoundLink & { link: Invitation } | undefined> {
    return this.#valid.find(token, "invite");
  }

  /** Creates the account of an invitation and signs it in. */
  async join(
    token: string,
    password: string,
    client: LinkClient = {},
  ): Promise<NewPasswordResult> {
    const found = await this.#valid.find(token, "invite");
    if (found === undefined) return { rejected: "gone" };
    const { id: linkId, tenant, email, role } = found.link;
    const slot = { client: `link ${linkId}`, from: client.from };
    const input = { ...slot, email, password, isNewAccount: true };
    return await this.#deps.signIn.setPassword(input, async (passwordHash) => {
      const id = this.#deps.runtime.uuid();
      const createdAt = this.#deps.runtime.now();
      const account = { id, tenant, email, passwordHash, role, createdAt };
      const user: User = { v: 1, ...account, operator: false, epoch: 0 };
      setActor({ kind: "user", id, name: email });
      // If another tenant has taken the address, report the link as used.
      return await this.#users.createFromInvitation(user, found) ? user : undefined;
    });
  }

  /**
   * A link to reset a member's password. Only an operator may reset an operator's, or that of somebody whose
   * account is also used in other tenants.
   */
  async createResetLink(
    by: TeamManager,
    id: string,
  ): Promise<{ token: string } | MemberRejection> {
    const user = await this.#users.get(by.tenant, id);
    if (user === undefined) return { rejected: "not_found" };
    const rejected = await this.#resetRejection(by, user);
    if (rejected !== undefined) return rejected;
    return {
      token: await this.#links.createResetLink(user, { by: { tenant: by.tenant, id: by.id } }),
    };
  }

  /** Sets the password with a reset link, ends the user's other sign-ins, and signs them in. */
  async resetPassword(
    token: string,
    password: string,
    client: LinkClient = {},
  ): Promise<NewPasswordResult> {
    const found = await this.#valid.find(token, "reset");
    if (found === undefined) return { rejected: "gone" };
    const { by, tenant, id, email } = found.link;
    const isOperator = by && (await this.#users.get(by.tenant, by.id))?.operator;
    const input = { client: `link ${id}`, from: client.from, email, password };
    return await this.#deps.signIn.setPassword(input, (passwordHash) => {
      setActor({ kind: "user", id, name: email });
      return this.#credentials.endSignIns(tenant, id, {
        ...{ passwordHash, link: found, action: "reset password" },
        unlessProtected: by !== undefined && !isOperator,
      });
    });
  }

  async changeRole(
    by: TeamManager,
    id: string,
    role: Role,
  ): Promise<MemberChangeResult | MemberRejection> {
    return await this.#rejection(by, id) ?? await this.#users.changeRole(by.tenant, id, role);
  }

  async remove(by: TeamManager, id: string): Promise<MemberChangeResult | MemberRejection> {
    const rejected = await this.#rejection(by, id);
    if (rejected !== undefined) return rejected;
    const removed = await this.#users.remove(by.tenant, id);
    if ("user" in removed) await this.#signIns.forget(removed.user);
    return removed;
  }

  /** The ids of the members who have a second factor. */
  async membersWithFactor(tenant: string): Promise<Set<string>> {
    const { factors } = this.#deps;
    const [found, accounts] = await Promise.all([
      factors.usersWithFactor(tenant),
      this.#memberships.accountsIn(tenant),
    ]);
    for (const [id, account] of accounts) {
      const { totp, passkeys } = await factors.summary(account);
      if (totp !== undefined || passkeys.length > 0) found.add(id);
    }
    return found;
  }

  /** Removes the second factors of a member who has lost them, and signs the member out. */
  async resetFactors(by: TeamManager, id: string): Promise<{ user: User } | MemberRejection> {
    const user = await this.#users.get(by.tenant, id);
    if (user === undefined) return { rejected: "not_found" };
    const rejected = await this.#resetRejection(by, user);
    if (rejected !== undefined) return rejected;
    const done = await this.#credentials.resetFactors(user, { unlessProtected: !by.operator });
    if (done === "not_found") return { rejected: done };
    return done === "protected" ? { rejected: "account_shared" } : { user };
  }

  async accountOf(user: Pick<User, "tenant" | "id">): Promise<MemberAccount> {
    if (await this.#memberships.accountOf(user) !== undefined) return "elsewhere";
    return await this.#memberships.hasAny(user) ? "shared" : "here";
  }

  /** Ends all sign-ins of a member. */
  async signOut(by: TeamManager, id: string): Promise<{ user: User } | MemberRejection> {
    const rejected = await this.#rejection(by, id);
    if (rejected !== undefined) return rejected;
    const member = await this.#users.get(by.tenant, id);
    if (member !== undefined && await this.#memberships.signOut(member)) return { user: member };
    const user = await this.#credentials.endSignIns(by.tenant, id, { action: "end sign-ins" });
    return user === undefined ? { rejected: "not_found" } : { user };
  }

  /** An owner must not become somebody who is also a member of other tenants. */
  async #resetRejection(by: TeamManager, user: User): Promise<MemberRejection | undefined> {
    if (user.operator && !by.operator) return { rejected: "operator" };
    const account = await this.accountOf(user);
    if (account === "elsewhere") return { rejected: "account_elsewhere" };
    return account === "shared" && !by.operator ? { rejected: "account_shared" } : undefined;
  }

  async #rejection(by: TeamManager, id: string): Promise<MemberRejection | undefined> {
    const user = await this.#users.get(by.tenant, id);
    return user?.operator && !by.operator ? { rejected: "operator" } : undefined;
  }
}

/** Who uses a link; with `from` the sign-in is audited. */
export type LinkClient = { from?: SignInClient };

export type MemberRejection = { rejected: MemberRejectionReason };

function toMember({ passwordHash: _hash, v: _v, epoch: _epoch, ...member }: User): Member {
  return member;
}
