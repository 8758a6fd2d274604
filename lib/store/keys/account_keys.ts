/** Second factors, sessions and memberships of dashboard users: a part of `keys`, under the same rules. */
export const ACCOUNT_KEYS = {
  /** A user's second factors and notices: `{ v, totp, passkeys, recovery, notices }`. */
  accountSecurity: (tenant: string, userId: string) => ["account_security", tenant, userId],
  accountSecurities: (tenant: string) => ["account_security", tenant],
  allAccountSecurity: () => ["account_security"],
  /** What is known of a sign-in, under the SHA-256 of its cookie: device, network, second factor. */
  signInDetails: (
    tenant: string,
    userId: string,
    cookieHash: string,
  ) => ["sign_in_details", tenant, userId, cookieHash],
  signInDetailsOf: (tenant: string, userId: string) => ["sign_in_details", tenant, userId],
  /** What a tenant requires of its users' sign-ins: `{ v, requiresFactor }`. */
  tenantSecurity: (tenant: string) => ["tenant_security", tenant],
  /** Value `{ v, userId }`: who an account is in another tenant, `member`. */
  membership: (
    tenant: string,
    userId: string,
    member: string,
  ) => ["memberships", tenant, userId, member],
  membershipsOf: (tenant: string, userId: string) => ["memberships", tenant, userId],
  allMemberships: (tenant: string) => ["memberships", tenant],
  /** Value `{ v, tenant, id, signedOutAt }`: the account of a user whose account is in another tenant. */
  membershipAccount: (tenant: string, userId: string) => ["membership_accounts", tenant, userId],
  membershipAccounts: (tenant: string) => ["membership_accounts", tenant],
  /** A challenge that a passkey has signed, under its SHA-256: `{ v, exp }`. */
  usedPasskeyChallenge: (challenge: string) => ["passkey_challenges", challenge],
} as const satisfies Record<string, (...args: never[]) => Deno.KvKey>;
