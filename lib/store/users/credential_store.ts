import type { Runtime } from "../../platform/runtime.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted, updateRecord } from "../values/record.ts";
import { consumeLink, type FoundLink } from "./account_link_store.ts";
import { accountSecuritySchema, hasFactor, NO_SECURITY } from "./account_security.ts";
import { hasMemberships } from "./membership_record.ts";
import { hasPassword, type User, userRecordSchema } from "./user_record.ts";

/** Changes of what users sign in with. Each ends their sign-ins in the same step. */
export class CredentialStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now" | "uuid">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now" | "uuid">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /**
   * Ends all sign-ins of a user, with a new password if one is given. A link is consumed in the same
   * step. Returns `undefined` if the link was used already, if there is no such user, if their sign-ins have
   * ended since `epoch`, or the one with `signInHash`, because a request that began before must not start
   * another one; with `unlessProtected` also for what the owner of a tenant must not reset.
   */
  async endSignIns(
    tenant: string,
    id: string,
    options: {
      passwordHash?: string;
      link?: FoundLink;
      epoch?: number;
      signInHash?: string;
      unlessProtected?: boolean;
      action: string;
    },
  ): Promise<User | undefined> {
    const { passwordHash, link, epoch, signInHash, unlessProtected, action } = options;
    return await retryUntilCommitted(async (): Promise<User | null | undefined> => {
      const entry = await this.#kv.get(keys.user(tenant, id));
      const user = parseRecord(userRecordSchema, entry);
      if (user === undefined || (epoch ?? user.epoch) !== user.epoch) return null;
      if (link?.link.kind === "reset" && (link.link.epoch ?? user.epoch) !== user.epoch) {
        return null;
      }
      if (passwordHash !== undefined && !hasPassword(user)) return null;
      if (unlessProtected && await isProtected(this.#kv, user)) return null;
      const next: User = { ...user, epoch: user.epoch + 1, ...(passwordHash && { passwordHash }) };
      const step = this.#kv.atomic().check(entry).set(entry.key, next);
      if (signInHash !== undefined) {
        const signIn = await this.#kv.get(keys.signIn(signInHash));
        if (signIn.versionstamp === null) return null;
        step.check(signIn);
      }
      if (link) consumeLink(step, link);
      this.#record(step, action, user);
      if ((await step.commit()).ok) return next;
      return link ? null : undefined;
    }, { what: "user" }) ?? undefined;
  }

  /**
   * Removes everything that a user would have to prove besides the password, and ends their sign-ins, in one
   * step. `unchanged` if there was nothing; `protected` as `unlessProtected` of `endSignIns`.
   */
  resetFactors(
    { tenant, id }: Pick<User, "tenant" | "id">,
    { unlessProtected }: { unlessProtected: boolean },
  ): Promise<"reset" | "unchanged" | "not_found" | "protected"> {
    return retryUntilCommitted(async () => {
      const [entry, security] = await this.#kv.getMany([
        keys.user(tenant, id),
        keys.accountSecurity(tenant, id),
      ]);
      const user = parseRecord(userRecordSchema, entry);
      if (user === undefined) return "not_found";
      if (unlessProtected && await isProtected(this.#kv, user)) return "protected";
      const known = parseRecord(accountSecuritySchema, security) ?? NO_SECURITY;
      if (!hasFactor(known) && known.recovery === undefined) return "unchanged";
      const step = this.#kv.atomic().check(entry, security)
        .set(entry.key, { ...user, epoch: user.epoch + 1 })
        .set(security.key, { ...NO_SECURITY, notices: known.notices });
      this.#record(step, "reset second factors", user);
      this.#record(step, "end sign-ins", user);
      return (await step.commit()).ok ? "reset" : undefined;
    }, { what: "user" });
  }

  /**
   * Replaces a hash with a more expensive one of the same password, unless the password was changed in
   * between. No user made this change, so the audit log has no entry.
   */
  async upgradePasswordHash(
    { tenant, id }: Pick<User, "tenant" | "id">,
    { before, after }: { before: string; after: string },
  ): Promise<void> {
    const location = { key: keys.user(tenant, id), schema: userRecordSchema, what: "user" };
    await updateRecord(this.#kv, location, (user, save) => {
      if (user?.passwordHash === before) save({ ...user, passwordHash: after });
    });
  }

  #record(step: Deno.AtomicOperation, action: string, { tenant, id, email }: User): void {
    const target = { id, name: email };
    recordChange(step, this.#runtime, { tenant, kind: "user", action, target });
  }
}

/**
 * Whether the owner of a tenant must not reset the sign-in of one of its users. Read after the user's entry,
 * which is written by whatever makes this true.
 */
async function isProtected(kv: Deno.Kv, user: User): Promise<boolean> {
  return user.operator || await hasMemberships(kv, user);
}
