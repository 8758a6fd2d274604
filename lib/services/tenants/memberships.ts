import { setActor } from "../../store/audit/actor.ts";
import { recordChange } from "../../store/audit/audit_record.ts";
import { keys } from "../../store/keys/keys.ts";
import type { OidcIdentityStore } from "../../store/oidc/oidc_identity_store.ts";
import type { TenantStore } from "../../store/tenants/tenant_store.ts";
import { findActingUser } from "../../store/users/acting_user.ts";
import type { FoundLink, Invitation } from "../../store/users/account_link_store.ts";
import type { Membership } from "../../store/users/membership_record.ts";
import type { JoinOutcome, MembershipStore } from "../../store/users/membership_store.ts";
import type { SignInDetails } from "../../store/users/sign_in_details.ts";
import type { LiveSignIn, SignInStore } from "../../store/users/sign_in_store.ts";
import { NO_PASSWORD, type User, userRecordSchema } from "../../store/users/user_record.ts";
import type { MemberChangeResult, UserStore } from "../../store/users/user_store.ts";
import { parseRecord } from "../../store/values/record.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { accountOf, type SignedInUser } from "../signed_in_user.ts";

export interface MembershipsDeps {
  kv: Deno.Kv;
  identities: Pick<OidcIdentityStore, "isAtTenantsProvider">;
  memberships: MembershipStore;
  signIns: SignInStore;
  tenants: Pick<TenantStore, "get" | "plan">;
  users: UserStore;
  runtime: Runtime;
}

/** A tenant that a person can look at. */
export interface TenantChoice {
  id: string;
  name: string;
  isCurrent: boolean;
  /** The person's account is here. */
  isHome: boolean;
}

/**
 * `own_provider`: the account signs in at its tenant's own provider, whose owner would then decide who
 * somebody is in other tenants.
 */
export type JoinResult = JoinOutcome | "own_provider";

/** `signed_out`: the tenant ended the account's sign-ins that are this old. */
export type SwitchResult = "switched" | "not_member" | "signed_out" | "ended";

/** Accounts in tenants other than their own: which these are, joining, leaving, and looking at one of them. */
export class Memberships {
  readonly #deps: MembershipsDeps;

  constructor(deps: MembershipsDeps) {
    this.#deps = deps;
  }

  /** The tenants of a person, their account's own first; empty if there is only that one. */
  async choices(user: SignedInUser): Promise<TenantChoice[]> {
    const account = accountOf(user);
    const others = await this.#deps.memberships.list(account);
    if (others.length === 0) return [];
    const ids = [account.tenant, ...others.map(({ tenant }) => tenant)];
    const found = await Promise.all(ids.map((id) => this.#deps.tenants.get(id)));
    return ids.map((id, n) => ({
      ...{ id, name: found[n]?.name ?? id },
      ...{ isCurrent: id === user.tenant, isHome: n === 0 },
    }));
  }

  /** Joins the tenant of an invitation for this account's address. */
  async join(
    account: SignedInUser,
    invitation: FoundLink & { link: Invitation },
  ): Promise<JoinResult> {
    const { identities, memberships, runtime } = this.#deps;
    const { tenant, role } = invitation.link;
    if (await identities.isAtTenantsProvider(account)) return "own_provider";
    const { email, session: { epoch } } = account;
    const [id, createdAt] = [runtime.uuid(), runtime.now()];
    const shared = { v: 1 as const, id, tenant, email, role, createdAt };
    const user: User = { ...shared, passwordHash: NO_PASSWORD, operator: false, epoch: 0 };
    setActor({ kind: "user", id, name: email });
    return await memberships.join({ tenant: account.tenant, id: account.id, epoch }, {
      ...{ user, invitation },
    });
  }

  /** Leaves a tenant; `last_owner` if it would have no owner then. */
  async leave(user: SignedInUser, tenant: string): Promise<MemberChangeResult> {
    const found = await this.#find(user, tenant);
    if (found === undefined) return { rejected: "not_found" };
    setActor({ kind: "user", id: found.userId, name: user.email });
    return await this.#deps.users.remove(tenant, found.userId);
  }

  /** Lets a sign-in look at another tenant of its account, or again at the account's own. */
  async switchTo(
    user: SignedInUser,
    { tenant, cookieToken, address }: { tenant: string; cookieToken: string; address: string },
  ): Promise<SwitchResult> {
    const account = accountOf(user);
    const membership = tenant === account.tenant ? undefined : await this.#find(user, tenant);
    if (membership === undefined && tenant !== account.tenant) return "not_member";
    let result: SwitchResult = "switched";
    const isChanged = await this.#deps.signIns.changeDetails(cookieToken, async (sign) => {
      const { acting: _before, ...details } = sign.details;
      if (!await this.#checkAccount(sign.live, sign.step)) return undefined;
      if (membership === undefined) return details;
      const acting = await this.#act(membership, { ...sign, email: user.email, address });
      result = typeof acting === "object" ? "switched" : acting;
      return typeof acting === "object" ? { ...details, acting } : undefined;
    });
    return isChanged || result !== "switched" ? result : "ended";
  }

  /** The sign-in's user still has the epoch with which it began. */
  async #checkAccount(
    { tenant, userId, epoch }: LiveSignIn,
    step: Deno.AtomicOperation,
  ): Promise<boolean> {
    const entry = await this.#deps.kv.get(keys.user(tenant, userId));
    step.check(entry);
    return parseRecord(userRecordSchema, entry)?.epoch === epoch;
  }

  async #act(
    membership: Membership,
    { live, step, email, address }: {
      live: LiveSignIn;
      step: Deno.AtomicOperation;
      email: string;
      address: string;
    },
  ): Promise<NonNullable<SignInDetails["acting"]> | "not_member" | "signed_out"> {
    const account = { tenant: live.tenant, id: live.userId };
    const found = await findActingUser(
      { account, createdAt: live.createdAt, membership },
      this.#deps,
    );
    if (typeof found !== "object") return found;
    step.check(...found.entries);
    setActor({ kind: "user", id: membership.userId, name: email });
    recordChange(step, this.#deps.runtime, {
      ...{ tenant: membership.tenant, kind: "sign-in", action: "switched to this tenant" },
      target: { id: membership.userId, name: email },
      after: { address },
    });
    return membership;
  }

  #find(user: SignedInUser, tenant: string): Promise<Membership | undefined> {
    return this.#deps.memberships.find(accountOf(user), tenant);
  }
}
