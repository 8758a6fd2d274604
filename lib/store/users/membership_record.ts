import { z } from "zod";
import { keys } from "../keys/keys.ts";
import { readMany } from "../values/chunks.ts";
import { parseRecord } from "../values/record.ts";
import type { User } from "./user_record.ts";

export const membershipSchema = z.object({ v: z.literal(1), userId: z.uuid() });

export const membershipAccountSchema = z.object({
  v: z.literal(1),
  tenant: z.uuid(),
  id: z.uuid(),
  /** Sign-ins that are not younger no longer lead to this tenant. */
  signedOutAt: z.int().optional(),
});

/** The account of a person, which is a user of the tenant where it was created. */
export type AccountName = Pick<User, "tenant" | "id">;

/** Who an account is in another tenant. */
export interface Membership {
  tenant: string;
  userId: string;
}

/** The other tenants of an account. */
export async function readMemberships(
  kv: Deno.Kv,
  { tenant, id }: AccountName,
): Promise<Membership[]> {
  return await Array.fromAsync(kv.list({ prefix: keys.membershipsOf(tenant, id) }), (entry) => {
    return {
      tenant: String(entry.key.at(-1)),
      userId: parseRecord(membershipSchema, entry)!.userId,
    };
  });
}

/** Whether an account is also used in other tenants, whose safety its own tenant must not decide. */
export async function hasMemberships(kv: Deno.Kv, account: AccountName): Promise<boolean> {
  const prefix = keys.membershipsOf(account.tenant, account.id);
  for await (const _ of kv.list({ prefix }, { limit: 1 })) return true;
  return false;
}

/** The account of a user whose account is in another tenant. */
export async function readAccountOf(
  kv: Deno.Kv,
  { tenant, id }: AccountName,
): Promise<AccountName | undefined> {
  return parseRecord(membershipAccountSchema, await kv.get(keys.membershipAccount(tenant, id)));
}

/** The accounts of a tenant's users whose account is in another tenant, by user id. */
export async function readAccounts(
  kv: Deno.Kv,
  tenant: string,
): Promise<Map<string, AccountName>> {
  const accounts = new Map<string, AccountName>();
  for await (const entry of kv.list({ prefix: keys.membershipAccounts(tenant) })) {
    const { tenant: home, id } = parseRecord(membershipAccountSchema, entry)!;
    accounts.set(String(entry.key[2]), { tenant: home, id });
  }
  return accounts;
}

/** Whether the account with a lower-cased address has a user in a tenant. */
export async function isMember(kv: Deno.Kv, tenant: string, email: string): Promise<boolean> {
  const { value } = await kv.get<AccountName>(keys.userByEmail(email));
  if (value === null) return false;
  if (value.tenant === tenant) return true;
  const { versionstamp } = await kv.get(keys.membership(value.tenant, value.id, tenant));
  return versionstamp !== null;
}

/**
 * Adds to `step` what ends with a user: the user's place in the tenant, or with their account also the users
 * that it has in other tenants. Returns those.
 */
export async function deleteUser(
  kv: Deno.Kv,
  step: Deno.AtomicOperation,
  { tenant, id, email }: Pick<User, "tenant" | "id" | "email">,
): Promise<Membership[]> {
  step.delete(keys.user(tenant, id));
  const entry = await kv.get(keys.membershipAccount(tenant, id));
  const account = parseRecord(membershipAccountSchema, entry);
  if (account !== undefined) {
    step.delete(entry.key).delete(keys.membership(account.tenant, account.id, tenant));
    return [];
  }
  step.delete(keys.userByEmail(email)).delete(keys.accountSecurity(tenant, id));
  const memberships = await readMemberships(kv, { tenant, id });
  const users = await readMany(kv, memberships.map((one) => keys.user(one.tenant, one.userId)));
  memberships.forEach((one, n) => {
    step.check(users[n]!).delete(users[n]!.key);
    step.delete(keys.membership(tenant, id, one.tenant));
    step.delete(keys.membershipAccount(one.tenant, one.userId));
  });
  return memberships;
}
