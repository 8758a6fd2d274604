import type { Runtime } from "../../platform/runtime.ts";
import { recordChange } from "../audit/audit_record.ts";
import type { PlainObject } from "../audit/describe_change.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";
import {
  type AccountSecurity,
  accountSecuritySchema,
  hasFactor,
  NO_SECURITY,
  tenantSecuritySchema,
} from "./account_security.ts";
import type { User } from "./user_record.ts";

export type UserName = Pick<User, "tenant" | "id">;
/** What a change of a user's factors is called in the audit log. */
export interface FactorAudit {
  action: string;
  before?: PlainObject;
  after?: PlainObject;
}

/** The second factors of users, and which tenants require one. */
export class AccountSecurityStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now" | "uuid">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now" | "uuid">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  async read({ tenant, id }: UserName): Promise<AccountSecurity> {
    const entry = await this.#kv.get(keys.accountSecurity(tenant, id));
    return parseRecord(accountSecuritySchema, entry) ?? NO_SECURITY;
  }

  /** The ids of a tenant's users who have a second factor. */
  async usersWithFactor(tenant: string): Promise<Set<string>> {
    const found = new Set<string>();
    for await (const entry of this.#kv.list({ prefix: keys.accountSecurities(tenant) })) {
      if (hasFactor(parseRecord(accountSecuritySchema, entry)!)) found.add(String(entry.key[2]));
    }
    return found;
  }

  /**
   * Changes what is stored of a user. `change` returns `undefined` to change nothing; false is returned then.
   * It can run again.
   */
  update(
    { tenant, id, email }: UserName & Pick<User, "email">,
    change: (security: AccountSecurity) => AccountSecurity | undefined,
    audit?: FactorAudit,
  ): Promise<boolean> {
    const key = keys.accountSecurity(tenant, id);
    return retryUntilCommitted(async () => {
      const [entry, user] = await this.#kv.getMany([key, keys.user(tenant, id)]);
      const next = change(parseRecord(accountSecuritySchema, entry) ?? NO_SECURITY);
      // Removed meanwhile.
      if (next === undefined || user.versionstamp === null) return false;
      const step = this.#kv.atomic().check(entry, user).set(key, next);
      if (audit !== undefined) {
        const target = { id, name: email };
        recordChange(step, this.#runtime, { tenant, kind: "user", target, ...audit });
      }
      return (await step.commit()).ok || undefined;
    }, { what: "account security" });
  }

  async isFactorRequired(tenant: string): Promise<boolean> {
    const entry = await this.#kv.get(keys.tenantSecurity(tenant));
    return parseRecord(tenantSecuritySchema, entry)?.requiresFactor ?? false;
  }

  /** Whether the users of a tenant need a second factor. */
  async requireFactor(tenant: string, requiresFactor: boolean): Promise<void> {
    const key = keys.tenantSecurity(tenant);
    await retryUntilCommitted(async () => {
      const entry = await this.#kv.get(key);
      const before = parseRecord(tenantSecuritySchema, entry)?.requiresFactor ?? false;
      if (before === requiresFactor) return true;
      const step = this.#kv.atomic().check(entry).set(key, { v: 1, requiresFactor });
      recordChange(step, this.#runtime, {
        ...{ tenant, kind: "tenant", action: "change sign-in", target: { id: tenant, name: "" } },
        before: { requires_second_factor: before },
        after: { requires_second_factor: requiresFactor },
      });
      return (await step.commit()).ok || undefined;
    }, { what: "tenant security" });
  }
}
