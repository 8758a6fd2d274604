import { z } from "zod";
import { sha256 } from "../../platform/crypto/signer.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import type { User } from "../users/user_record.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";

const identitySchema = z.object({
  v: z.literal(1),
  tenant: z.uuid(),
  userId: z.uuid(),
  issuer: z.string(),
  subject: z.string(),
  connection: z.uuid().optional(),
});
const byUserSchema = z.object({ v: z.literal(1), identity: z.string(), issuer: z.string() });

/** A person at a provider: `sub` is unique within the issuer, and never given to another person. */
export interface OidcPerson {
  issuer: string;
  subject: string;
  /** The tenant whose provider it is: another tenant's provider never vouches for its users. */
  connection?: string | undefined;
}

type UserName = Pick<User, "tenant" | "id">;

/** Which user a person at a provider is. An e-mail address never decides that. */
export class OidcIdentityStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now" | "uuid">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now" | "uuid">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  async find(person: OidcPerson): Promise<UserName | undefined> {
    const entry = await this.#kv.get(keys.oidcIdentity(await identityOf(person)));
    const found = parseRecord(identitySchema, entry);
    return found && { tenant: found.tenant, id: found.userId };
  }

  /** The issuer at which a user signs in. */
  async issuerOf({ tenant, id }: UserName): Promise<string | undefined> {
    const entry = await this.#kv.get(keys.oidcIdentityByUser(tenant, id));
    return parseRecord(byUserSchema, entry)?.issuer;
  }

  /** Whether a user is a person at the provider of a tenant, and not only at the installation's. */
  async isAtTenantsProvider({ tenant, id }: UserName): Promise<boolean> {
    const entry = await this.#kv.get(keys.oidcIdentityByUser(tenant, id));
    const identity = parseRecord(byUserSchema, entry)?.identity;
    if (identity === undefined) return false;
    const record = parseRecord(identitySchema, await this.#kv.get(keys.oidcIdentity(identity)));
    return record?.connection !== undefined;
  }

  /** Returns what a step adds to store that the person is this user, in place of a user who is gone. */
  async adder(person: OidcPerson): Promise<(step: Deno.AtomicOperation, user: UserName) => void> {
    const identity = await identityOf(person);
    const entry = await this.#kv.get(keys.oidcIdentity(identity));
    return (step, { tenant, id }) => {
      const record = { v: 1, tenant, userId: id, ...person };
      const byUser = { v: 1, identity, issuer: person.issuer };
      step.check(entry).set(entry.key, record).set(keys.oidcIdentityByUser(tenant, id), byUser);
    };
  }

  /** False if the person is another user already. A user has one person. */
  async link(user: Pick<User, "tenant" | "id" | "email">, person: OidcPerson): Promise<boolean> {
    const known = await this.find(person);
    if (known !== undefined) {
      if (known.id === user.id) return true;
      const entry = await this.#kv.get(keys.user(known.tenant, known.id));
      if (entry.versionstamp !== null) return false;
    }
    await this.#removeOf(user);
    const add = await this.adder(person);
    const step = this.#kv.atomic();
    add(step, user);
    this.#record(step, user, { action: "link provider", issuer: person.issuer });
    return (await step.commit()).ok;
  }

  /** Records that the provider vouches for a user who has no role here any more. */
  async recordRefusal(user: Pick<User, "tenant" | "id" | "email">, issuer: string): Promise<void> {
    const { tenant, id, email } = user;
    const step = this.#kv.atomic();
    recordChange(step, this.#runtime, {
      ...{ tenant, kind: "sign-in", action: "refused", target: { id, name: email } },
      after: { issuer },
    });
    await step.commit();
  }

  async unlink(user: Pick<User, "tenant" | "id" | "email">): Promise<void> {
    await this.#removeOf(user, true);
  }

  async #removeOf(
    user: Pick<User, "tenant" | "id" | "email">,
    isAudited = false,
  ): Promise<void> {
    await retryUntilCommitted(async () => {
      const entry = await this.#kv.get(keys.oidcIdentityByUser(user.tenant, user.id));
      const linked = parseRecord(byUserSchema, entry);
      if (linked === undefined) return true;
      const step = this.#kv.atomic().check(entry).delete(entry.key);
      step.delete(keys.oidcIdentity(linked.identity));
      if (isAudited) {
        this.#record(step, user, { action: "unlink provider", issuer: linked.issuer });
      }
      return (await step.commit()).ok || undefined;
    }, { what: "identity" });
  }

  #record(
    step: Deno.AtomicOperation,
    { tenant, id, email }: Pick<User, "tenant" | "id" | "email">,
    { action, issuer }: { action: string; issuer: string },
  ): void {
    const target = { id, name: email };
    recordChange(step, this.#runtime, { tenant, kind: "user", action, target, after: { issuer } });
  }
}

function identityOf({ issuer, subject, connection }: OidcPerson): Promise<string> {
  const scope = connection === undefined ? [] : [connection];
  return sha256(JSON.stringify([issuer, subject, ...scope]));
}
