import { z } from "zod";
import type { Runtime } from "../../platform/runtime.ts";
import { runAs } from "../audit/actor.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { countKeys } from "../shared/count_keys.ts";
import {
  byCreation,
  listRecordsPart,
  parseRecord,
  type PartRequest,
  retryUntilCommitted,
  updateRecord,
} from "../values/record.ts";
import { admitUser, consumeLink, type FoundLink } from "./account_link_store.ts";
import { deleteUser } from "./membership_record.ts";
import {
  auditedFields,
  findOtherOperator,
  type Member,
  readMembers,
  type User,
  userRecordSchema,
} from "./user_record.ts";

export type { User } from "./user_record.ts";

const setupRecordSchema = z.discriminatedUnion("state", [
  /** Waiting for the first owner, who proves to be the operator with this token. */
  z.object({ v: z.literal(1), state: z.literal("open"), tokenHash: z.string() }),
  z.object({ v: z.literal(1), state: z.literal("done"), at: z.int() }),
]);
const setupLocation = {
  key: keys.installation("setup"),
  schema: setupRecordSchema,
  what: "setup",
};

/** Whether the installation has its first owner; `tokenHash` is absent before a token is created. */
export type SetupState = { done: boolean; tokenHash?: string };

/** The member before the change, or why it was not made. */
export type MemberChangeResult =
  | { user: User }
  | { rejected: "not_found" | "last_owner" | "last_operator" };

/** Dashboard users, and the one-time set-up that creates the first. */
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

  /** The user with a lower-cased address, in any tenant. */
  async findByEmail(email: string): Promise<User | undefined> {
    const entry = await this.#kv.get<{ tenant: string; id: string }>(keys.userByEmail(email));
    return entry.value === null ? undefined : await this.get(entry.value.tenant, entry.value.id);
  }

  async setupState(): Promise<SetupState> {
    const record = parseRecord(setupRecordSchema, await this.#kv.get(setupLocation.key));
    if (record === undefined) return { done: false };
    return record.state === "done" ? { done: true } : { done: false, tokenHash: record.tokenHash };
  }

  /** Replaces the hash of the setup token; false if the installation is set up already. */
  setSetupToken(tokenHash: string): Promise<boolean> {
    return updateRecord(this.#kv, setupLocation, (setup, save) => {
      if (setup?.state === "done") return false;
      save({ v: 1, state: "open", tokenHash });
      return true;
    });
  }

  /**
   * Stores the first owner and completes the set-up in one atomic step, so that one of several concurrent
   * requests succeeds; false if the set-up was complete.
   */
  createFirstOwner(owner: User): Promise<boolean> {
    return updateRecord(this.#kv, setupLocation, (setup, save) => {
      if (setup?.state === "done") return false;
      const step = save({ v: 1, state: "done", at: owner.createdAt });
      addUser(step, owner);
      this.#record(step, "create", { user: owner, after: owner });
      return true;
    });
  }

  /** All users of a tenant, oldest first. */
  async list(tenant: string): Promise<User[]> {
    const members = await readMembers(this.#kv, keys.users(tenant));
    return members.map(({ user }) => user).sort(byCreation);
  }

  /** A part of `list`: a user's id begins with the time of joining. */
  listPart(tenant: string, part: PartRequest): Promise<User[]> {
    return listRecordsPart(this.#kv, keys.users(tenant), { schema: userRecordSchema, part });
  }

  /** The number of a tenant's users. */
  count(tenant: string): Promise<number> {
    return countKeys(this.#kv, keys.users(tenant));
  }

  /** Stores a user and consumes the invitation; false if it was used or the address is taken. */
  async createFromInvitation(user: User, invitation: FoundLink): Promise<boolean> {
    const step = this.#kv.atomic();
    addUser(step, user);
    consumeLink(step, invitation);
    this.#record(step, "join", { user, after: user });
    return (await step.commit()).ok;
  }

  /**
   * Stores a user whom the provider of an OpenID Connect sign-in vouches for; false if another user was
   * added, or as above. Throws `ApiError` 403 beyond the plan's users, and for a tenant that is being
   * deleted.
   */
  async createFromProvider(
    user: User,
    also: (step: Deno.AtomicOperation) => void,
  ): Promise<boolean> {
    const { tenant, email } = user;
    const admit = await admitUser(this.#kv, { tenant, email, now: this.#runtime.now() });
    const step = this.#kv.atomic();
    addUser(step, user);
    admit(step);
    also(step);
    this.#record(step, "join", { user, after: user });
    return (await step.commit()).ok;
  }

  /** Changes a role; `last_owner` if that would leave the tenant without an owner. */
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

  /**
   * Removes a user and so ends their sign-ins, also in other tenants if their account is here; `last_owner`
   * as in `changeRole`, and `last_operator` if that would leave the installation without an operator.
   */
  remove(tenant: string, id: string): Promise<MemberChangeResult> {
    return this.#changeMember(tenant, id, {
      keepsOwner: false,
      keepsOperator: false,
      change: async (step, { user }) => {
        this.#record(step, "remove", { user, before: user });
        const others = await deleteUser(this.#kv, step, user);
        // Their logs do not name people of this tenant.
        runAs({ kind: "service" }, () => {
          for (const { tenant: other, userId } of others) {
            this.#record(step, "remove", { user: { ...user, tenant: other, id: userId } });
          }
        });
      },
    });
  }

  /**
   * Changes one member. If an owner leaves the role, another owner's record is checked in the same step:
   * two owners who demote each other concurrently cannot both succeed.
   */
  #changeMember(
    tenant: string,
    id: string,
    { keepsOwner, keepsOperator = true, change }: {
      keepsOwner: boolean;
      keepsOperator?: boolean;
      change: (step: Deno.AtomicOperation, member: Member) => void | Promise<void>;
    },
  ): Promise<MemberChangeResult> {
    return retryUntilCommitted(async (): Promise<MemberChangeResult | undefined> => {
      const members = await readMembers(this.#kv, keys.users(tenant));
      const member = members.find(({ user }) => user.id === id);
      if (member === undefined) return { rejected: "not_found" };
      const step = this.#kv.atomic().check(member.entry);
      if (member.user.role === "owner" && !keepsOwner) {
        const other = members.find(({ user }) => user.role === "owner" && user.id !== id);
        if (other === undefined) return { rejected: "last_owner" };
        step.check(other.entry);
      }
      if (member.user.operator && !keepsOperator) {
        const other = await findOtherOperator(this.#kv, id);
        if (other === undefined) return { rejected: "last_operator" };
        step.check(other.entry);
      }
      await change(step, member);
      return (await step.commit()).ok ? { user: member.user } : undefined;
    }, { what: "user" });
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

/** Adds a new user to `step`, which fails if the address is taken. */
function addUser(step: Deno.AtomicOperation, user: User): void {
  const { tenant, id } = user;
  const byEmail = keys.userByEmail(user.email);
  step.check({ key: byEmail, versionstamp: null })
    .set(keys.user(tenant, id), user)
    .set(byEmail, { tenant, id });
}
