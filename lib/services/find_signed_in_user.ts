import { keys } from "../store/keys/keys.ts";
import type { TenantStore } from "../store/tenants/tenant_store.ts";
import {
  type AccountSecurity,
  accountSecuritySchema,
  canDismiss,
  hasFactor,
  NO_SECURITY,
  tenantSecuritySchema,
} from "../store/users/account_security.ts";
import {
  detailsKey,
  NO_DETAILS,
  type SignInDetails,
  signInDetailsSchema,
} from "../store/users/sign_in_details.ts";
import { type ActingUser, findActingUser } from "../store/users/acting_user.ts";
import { type LiveSignIn, signInRecordSchema } from "../store/users/sign_in_store.ts";
import { hasPassword, type User, userRecordSchema } from "../store/users/user_record.ts";
import { parseRecord } from "../store/values/record.ts";
import type { SignedInUser, StepUp } from "./signed_in_user.ts";

interface Deps {
  kv: Deno.Kv;
  tenants: Pick<TenantStore, "plan">;
  /** Operators need a second factor, whatever their tenant requires. */
  operatorsNeedFactor: boolean;
}

/** A live sign-in and its user. */
export interface FoundSignIn {
  user: SignedInUser;
  /** The user has a second factor, and has not proven it: they may do nothing else. */
  isPending: boolean;
  details: { entry: Deno.KvEntryMaybe<unknown>; details: SignInDetails };
}

/** The user of a live sign-in; `undefined` once it has ended, or while the tenant is being deleted. */
export async function findSignedInUser(
  signIn: LiveSignIn,
  { kv, tenants, operatorsNeedFactor }: Deps,
): Promise<FoundSignIn | undefined> {
  const { tenant, userId } = signIn;
  const [entries, { suspension, deletion }] = await Promise.all([
    kv.getMany([
      keys.user(tenant, userId),
      keys.accountSecurity(tenant, userId),
      keys.tenantSecurity(tenant),
      detailsKey(signIn),
    ]),
    tenants.plan(tenant),
  ]);
  const user = parseRecord(userRecordSchema, entries[0]!);
  if (user === undefined || user.epoch !== signIn.epoch || deletion !== undefined) return undefined;
  const security = parseRecord(accountSecuritySchema, entries[1]!) ?? NO_SECURITY;
  const requiresFactor = parseRecord(tenantSecuritySchema, entries[2]!)?.requiresFactor ?? false;
  const details = parseRecord(signInDetailsSchema, entries[3]!) ?? NO_DETAILS;
  const isProven = details.factor !== undefined;
  const lacksFactor = !hasFactor(security) && details.factor?.kind !== "provider";
  const needsFactor = user.operator && operatorsNeedFactor;
  const notices = await shownNotices(kv, security, { ...signIn, epoch: user.epoch });
  const { id, email, role, operator, epoch } = user;
  const account: SignedInUser = {
    ...{ id, tenant, email, role, operator, provenAt: signIn.provenAt },
    stepUp: stepUpOf(user, security),
    session: { hash: signIn.hash, epoch, createdAt: signIn.createdAt, details },
    ...!hasPassword(user) && { hasPassword: false },
    ...suspension && { suspension },
    ...(needsFactor || requiresFactor) && lacksFactor && { mustAddFactor: true },
    ...notices.length > 0 && { notices },
  };
  const acting = details.acting && await findActingUser(
    { account, createdAt: signIn.createdAt, membership: details.acting },
    { kv, tenants },
  );
  return {
    user: typeof acting !== "object" ? account : actAs(account, {
      ...acting,
      mustAddFactor: (needsFactor || acting.requiresFactor) && lacksFactor,
    }),
    isPending: hasFactor(security) && !isProven,
    details: { entry: entries[3]!, details },
  };
}

/**
 * The notices of other devices. A device that cannot dismiss one sees it while the reported session is
 * active.
 */
async function shownNotices(
  kv: Deno.Kv,
  { notices }: AccountSecurity,
  { hash, createdAt, epoch }: LiveSignIn,
): Promise<NonNullable<SignedInUser["notices"]>> {
  const others = notices.filter(({ signIn }) => signIn !== hash)
    .map((notice) => ({ ...notice, isDismissable: canDismiss(notice, { createdAt }) }));
  if (others.every(({ isDismissable }) => isDismissable)) return others;
  const entries = await kv.getMany(others.map(({ signIn }) => keys.signIn(signIn)));
  const isLive = (n: number) => parseRecord(signInRecordSchema, entries[n]!)?.epoch === epoch;
  return others.filter(({ isDismissable }, n) => isDismissable || isLive(n));
}

/** An account as its user in another tenant: with what that tenant allows and requires. */
function actAs(
  { suspension, mustAddFactor: _own, ...rest }: SignedInUser,
  { user, mustAddFactor, ...there }: ActingUser & { mustAddFactor: boolean },
): SignedInUser {
  const { id, tenant, role, operator } = rest;
  return {
    ...rest,
    ...{ id: user.id, tenant: user.tenant, role: user.role, operator: false },
    ...there.suspension && { suspension: there.suspension },
    ...mustAddFactor && { mustAddFactor },
    account: { id, tenant, role, operator, ...suspension && { suspension } },
  };
}

/** The strongest of what a user can prove. */
function stepUpOf(user: User, { passkeys, totp }: AccountSecurity): StepUp {
  if (passkeys.length > 0) return "passkey";
  if (totp !== undefined) return "totp";
  return hasPassword(user) ? "password" : "provider";
}
