import { z } from "zod";
import type { Runtime } from "../../platform/runtime.ts";
import { consumeLink, type FoundLink } from "./account_link_store.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";

const userRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  tenant: z.uuid(),
  /** Lower-cased. */
  email: z.string(),
  passwordHash: z.string(),
  role: z.enum(["owner", "admin", "viewer"]),
  operator: z.boolean(),
  createdAt: z.int(),
  /** A sign-in of another number has ended: raising it ends all of them at once. */
  epoch: z.int().default(0),
});
export type User = z.infer<typeof userRecordSchema>;

const setupRecordSchema = z.discriminatedUnion("state", [
  /** Waits for its first owner, who proves to be the operator by this token. */
  z.object({ v: z.literal(1), state: z.literal("open"), tokenHash: z.string() }),
  z.object({ v: z.literal(1), state: z.literal("done"), at: z.int() }),
]);

/** Whether the installation has had its first owner; `tokenHash` is absent before a token is made. */
export type SetupState = { done: boolean; tokenHash?: string };

/** Dashboard users, and the one-time set-up that makes the first of them. */
export class UserStore {
  #kv: Deno.Kv;
  #runtime: Pick<Runtime, "now" | "uuid">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now" | "uuid">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  async get(tenant: string, id: string): Promise<User | undefined> {
    return parseRecord(userRecordSchema, await this.#kv.get(keys.user(tenant, id)));
  }

  /** The user of a lower-cased address, in whatever tenant. */
  async findByEmail(email: string): Promise<User | undefined> {
    const entry = await this.#kv.get<{ tenant: string; id: string }>(keys.userByEmail(email));
    return entry.value === null ? undefined : await this.get(entry.value.tenant, entry.value.id);
  }

  async setupState(): Promise<SetupState> {
    return toSetupState(await this.#kv.get(keys.installation("setup")));
  }

  /** Replaces the setup token, under its hash; false when the installation is set up already. */
  setSetupToken(tokenHash: string): Promise<boolean> {
    const key = keys.installation("setup");
    const attempt = async (): Promise<boolean | undefined> => {
      const entry = await this.#kv.get(key);
      if (toSetupState(entry).done) return false;
      const open = { v: 1, state: "open", tokenHash };
      const committed = await this.#kv.atomic().check(entry).set(key, open).commit();
      return committed.ok ? true : undefined;
    };
    return retryUntilCommitted(attempt, { what: "setup" });
  }

  /**
   * Stores the first owner and closes the set-up in one atomic step, so that of two who race one
   * wins; false when the set-up was closed already.
   */
  createFirstOwner(owner: User): Promise<boolean> {
    const key = keys.installation("setup");
    const byEmail = keys.userByEmail(owner.email);
    const attempt = async (): Promise<boolean | undefined> => {
      const entry = await this.#kv.get(key);
      if (toSetupState(entry).done) return false;
      const step = this.#kv.atomic()
        .check(entry, { key: byEmail, versionstamp: null })
        .set(key, { v: 1, state: "done", at: owner.createdAt })
        .set(keys.user(owner.tenant, owner.id), owner)
        .set(byEmail, { tenant: owner.tenant, id: owner.id });
      this.#record(step, "create", { user: owner, after: owner });
      return (await step.commit()).ok ? true : undefined;
    };
    return retryUntilCommitted(attempt, { what: "setup" });
  }

  /** Everybody of a tenant, in the order they came. */
  async list(tenant: string): Promise<User[]> {
    const users = (await this.#readMembers(tenant)).map(({ user }) => user);
    return users.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  /** Stores a new user and spends their invitation; false when it is gone or the address is taken. */
  async createFromInvitation(user: User, invitation: FoundLink): Promise<boolean> {
    const byEmail = keys.userByEmail(user.email);
    const step = this.#kv.atomic()
      .check({ key: byEmail, versionstamp: null })
      .set(keys.user(user.tenant, user.id), user)
      .set(byEmail, { tenant: user.tenant, id: user.id });
    consumeLink(step, invitation);
    this.#record(step, "join", { user, after: user });
    return (await step.commit()).ok;
  }

  /** Another role; `last_owner` where it would leave the tenant without one. */
  changeRole(tenant: string, id: string, role: User["role"]): Promise<MemberChangeResult> {
    return this.#changeMember(tenant, id, {
      keepsOwner: role === "owner",
      change: (step, { user, entry }) => {
        if (user.role === role) return;
        const next = { ...user, role };
        step.set(entry.key, next);
        this.#record(step, "change role", { user, before: user, after: next });
      },
    });
  }

  /** Removes a user, whose sign-ins end with it; `last_owner` as of `changeRole`. */
  remove(tenant: string, id: string): Promise<MemberChangeResult> {
    return this.#changeMember(tenant, id, {
      keepsOwner: false,
      change: (step, { user, entry }) => {
        step.delete(entry.key).delete(keys.userByEmail(user.email));
        this.#record(step, "remove", { user, before: user });
      },
    });
  }

  /**
   * Ends all sign-ins of a user, with a new password where one is given. A link is spent in the same
   * step: `undefined` when it was already, or when there is no such user.
   */
  async endSignIns(
    tenant: string,
    id: string,
    options: { passwordHash?: string; link?: FoundLink; action: string },
  ): Promise<User | undefined> {
    const { passwordHash, link, action } = options;
    const attempt = async (): Promise<User | null | undefined> => {
      const entry = await this.#kv.get(keys.user(tenant, id));
      const user = parseRecord(userRecordSchema, entry);
      if (user === undefined) return null;
      if (link?.link.kind === "reset" && (link.link.epoch ?? user.epoch) !== user.epoch) {
        return null;
      }
      const next: User = { ...user, epoch: user.epoch + 1, ...(passwordHash && { passwordHash }) };
      const step = this.#kv.atomic().check(entry).set(entry.key, next);
      if (link) consumeLink(step, link);
      this.#record(step, action, { user });
      if ((await step.commit()).ok) return next;
      return link ? null : undefined;
    };
    return await retryUntilCommitted(attempt, { what: "user" }) ?? undefined;
  }

  /**
   * Replaces a hash by a dearer one of the same password. Nothing happens where the password has
   * changed meanwhile; it is no change that anybody made, so the audit log has no entry.
   */
  async upgradePasswordHash(
    { tenant, id }: Pick<User, "tenant" | "id">,
    { before, after }: { before: string; after: string },
  ): Promise<void> {
    const attempt = async (): Promise<true | undefined> => {
      const entry = await this.#kv.get(keys.user(tenant, id));
      const user = parseRecord(userRecordSchema, entry);
      if (user?.passwordHash !== before) return true;
      const next = { ...user, passwordHash: after };
      return (await this.#kv.atomic().check(entry).set(entry.key, next).commit()).ok || undefined;
    };
    await retryUntilCommitted(attempt, { what: "user" });
  }

  async #readMembers(tenant: string): Promise<Member[]> {
    const members: Member[] = [];
    for await (const entry of this.#kv.list({ prefix: keys.users(tenant) })) {
      const user = parseRecord(userRecordSchema, entry);
      if (user) members.push({ user, entry });
    }
    return members;
  }

  /**
   * Changes one member. Where an owner goes, another one's record is checked in the same step: two
   * owners who demote each other at once cannot both succeed.
   */
  #changeMember(
    tenant: string,
    id: string,
    { keepsOwner, change }: {
      keepsOwner: boolean;
      change: (step: Deno.AtomicOperation, member: Member) => void;
    },
  ): Promise<MemberChangeResult> {
    const attempt = async (): Promise<MemberChangeResult | undefined> => {
      const members = await this.#readMembers(tenant);
      const member = members.find(({ user }) => user.id === id);
      if (member === undefined) return { refused: "not_found" };
      const step = this.#kv.atomic().check(member.entry);
      if (member.user.role === "owner" && !keepsOwner) {
        const other = members.find(({ user }) => user.role === "owner" && user.id !== id);
        if (other === undefined) return { refused: "last_owner" };
        step.check(other.entry);
      }
      change(step, member);
      return (await step.commit()).ok ? { user: member.user } : undefined;
    };
    return retryUntilCommitted(attempt, { what: "user" });
  }

  #record(
    step: Deno.AtomicOperation,
    action: string,
    { user, before, after }: { user: User; before?: User; after?: User },
  ): void {
    recordChange(step, this.#runtime, {
      tenant: user.tenant,
      kind: "user",
      action,
      target: { id: user.id, name: user.email },
      before: before && auditedFields(before),
      after: after && auditedFields(after),
    });
  }
}

interface Member {
  user: User;
  entry: Deno.KvEntry<unknown>;
}

/** What came of a change of a member: as they were before it, or why there is none. */
export type MemberChangeResult = { user: User } | { refused: "not_found" | "last_owner" };

/** What the audit log keeps of a user: never the password's hash. */
function auditedFields({ email, role, operator }: User) {
  return { email, role, operator };
}

function toSetupState(entry: Deno.KvEntryMaybe<unknown>): SetupState {
  const record = parseRecord(setupRecordSchema, entry);
  if (record === undefined) return { done: false };
  return record.state === "done" ? { done: true } : { done: false, tokenHash: record.tokenHash };
}
