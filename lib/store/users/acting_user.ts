import { keys } from "../keys/keys.ts";
import type { TenantStore } from "../tenants/tenant_store.ts";
import { parseRecord } from "../values/record.ts";
import { tenantSecuritySchema } from "./account_security.ts";
import { type AccountName, type Membership, membershipAccountSchema } from "./membership_record.ts";
import { type User, userRecordSchema } from "./user_record.ts";

/** Who an account is in another tenant, and what a step checks that relies on it. */
export interface ActingUser {
  user: User;
  suspension?: { at: number; reason: string } | undefined;
  requiresFactor: boolean;
  entries: Deno.KvEntryMaybe<unknown>[];
}

/**
 * The user of a membership, read now. `not_member` once either of both has ended, or while the tenant is
 * being deleted; `signed_out` for a sign-in that is not younger than the last time the tenant ended them.
 */
export async function findActingUser(
  { account, createdAt, membership: { tenant, userId } }: {
    account: AccountName;
    /** Of the sign-in. */
    createdAt: number;
    membership: Membership;
  },
  { kv, tenants }: { kv: Deno.Kv; tenants: Pick<TenantStore, "plan"> },
): Promise<ActingUser | "not_member" | "signed_out"> {
  const [[userEntry, accountEntry, security], { suspension, deletion }] = await Promise.all([
    kv.getMany([
      keys.user(tenant, userId),
      keys.membershipAccount(tenant, userId),
      keys.tenantSecurity(tenant),
    ]),
    tenants.plan(tenant),
  ]);
  const user = parseRecord(userRecordSchema, userEntry!);
  const link = parseRecord(membershipAccountSchema, accountEntry!);
  const isTheirs = link?.tenant === account.tenant && link.id === account.id;
  if (user === undefined || !isTheirs || deletion !== undefined) return "not_member";
  if (link.signedOutAt !== undefined && createdAt <= link.signedOutAt) return "signed_out";
  return {
    ...{ user, suspension, entries: [userEntry!, accountEntry!] },
    requiresFactor: parseRecord(tenantSecuritySchema, security!)?.requiresFactor ?? false,
  };
}
