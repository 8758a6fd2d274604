import type { Runtime } from "../../platform/runtime.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { planRecordSchema } from "../tenants/tenant_store.ts";
import { parseRecord, retryUntilCommitted, updateRecord } from "../values/record.ts";
import { consumeLink, type FoundLink } from "./account_link_store.ts";
import {
  type AccountName,
  hasMemberships,
  type Membership,
  membershipAccountSchema,
  membershipSchema,
  readAccountOf,
  readAccounts,
  readMemberships,
} from "./membership_record.ts";
import { auditedFields, type User, userRecordSchema } from "./user_record.ts";

/** The most tenants of an account besides its own: all of them end in one atomic step with it. */
export const MAX_MEMBERSHIPS = 20;

/** `gone`: the invitation was used, or the sign-in has ended since. */
export type JoinOutcome = "joined" | "gone" | "already_member" | "too_many";

type Entry = Deno.KvEntryMaybe<unknown>;

/** Who accounts are in tenants other than their own. */
export class MembershipStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now" | "uuid">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now" | "uuid">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  list(account: AccountName): Promise<Membership[]> {
    return readMemberships(this.#kv, account);
  }

  /** Who an account is in one other tenant. */
  async find({ tenant, id }: AccountName, other: string): Promise<Membership | undefined> {
    const entry = await this.#kv.get(keys.membership(tenant, id, other));
    const record = parseRecord(membershipSchema, entry);
    return record && { tenant: other, userId: record.userId };
  }

  hasAny(account: AccountName): Promise<boolean> {
    return hasMemberships(this.#kv, account);
  }

  /** The account of a user whose account is in another tenant. */
  accountOf(user: AccountName): Promise<AccountName | undefined> {
    return readAccountOf(this.#kv, user);
  }

  /** The accounts of a tenant's users whose account is in another one, by the users' ids. */
  accountsIn(tenant: string): Promise<Map<string, AccountName>> {
    return readAccounts(this.#kv, tenant);
  }

  /**
   * Stores `user`, who is this account in the tenant of the invitation, and consumes the invitation. The
   * account's own entry is written too, so that whatever ends the account, and a reset of its password by
   * its own tenant, happens either before, or knows of this.
   */
  join(
    { tenant, id, epoch }: AccountName & { epoch: number },
    { user, invitation }: { user: User; invitation: FoundLink },
  ): Promise<JoinOutcome> {
    return retryUntilCommitted(async (): Promise<JoinOutcome | undefined> => {
      const [entry, membership, link, ...plans] = await this.#kv.getMany([
        keys.user(tenant, id),
        keys.membership(tenant, id, user.tenant),
        invitation.entry.key,
        ...[keys.plan(tenant), keys.plan(user.tenant)],
      ]) as [Entry, Entry, Entry, Entry, Entry];
      const isDeleted = plans.some((plan) =>
        parseRecord(planRecordSchema, plan)?.deletion !== undefined
      );
      if (isDeleted) return "gone";
      const account = parseRecord(userRecordSchema, entry);
      if (link.versionstamp !== invitation.entry.versionstamp) return "gone";
      if (account?.epoch !== epoch || account.email !== invitation.link.email) return "gone";
      if (tenant === user.tenant || membership.versionstamp !== null) return "already_member";
      if ((await this.list({ tenant, id })).length >= MAX_MEMBERSHIPS) return "too_many";
      const step = this.#kv.atomic()
        .check(entry, membership, ...plans)
        .set(entry.key, entry.value)
        .set(membership.key, { v: 1, userId: user.id })
        .set(keys.membershipAccount(user.tenant, user.id), { v: 1, tenant, id })
        .set(keys.user(user.tenant, user.id), user);
      consumeLink(step, invitation);
      recordChange(step, this.#runtime, {
        ...{ tenant: user.tenant, kind: "user", action: "join" },
        target: { id: user.id, name: user.email },
        after: auditedFields(user),
      });
      return (await step.commit()).ok ? "joined" : undefined;
    }, { what: "membership" });
  }

  /** The sign-ins of a user's account no longer lead to the user's tenant; false if the account is here. */
  signOut({ tenant, id, email }: Pick<User, "tenant" | "id" | "email">): Promise<boolean> {
    const key = keys.membershipAccount(tenant, id);
    const location = { key, schema: membershipAccountSchema, what: "membership" };
    return updateRecord(this.#kv, location, (record, save) => {
      if (record === undefined) return false;
      const step = save({ ...record, signedOutAt: this.#runtime.now() });
      const target = { id, name: email };
      recordChange(step, this.#runtime, { tenant, kind: "user", action: "end sign-ins", target });
      return true;
    });
  }
}
