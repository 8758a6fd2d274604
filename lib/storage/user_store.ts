import { z } from "zod";
import { keys } from "./keys.ts";
import { parseRecord, untilCommitted } from "./record.ts";

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

  constructor(kv: Deno.Kv) {
    this.#kv = kv;
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
    return toState(await this.#kv.get(keys.installation("setup")));
  }

  /** Replaces the setup token, under its hash; false when the installation is set up already. */
  offerSetup(tokenHash: string): Promise<boolean> {
    const key = keys.installation("setup");
    const attempt = async (): Promise<boolean | undefined> => {
      const entry = await this.#kv.get(key);
      if (toState(entry).done) return false;
      const open = { v: 1, state: "open", tokenHash };
      const committed = await this.#kv.atomic().check(entry).set(key, open).commit();
      return committed.ok ? true : undefined;
    };
    return untilCommitted(attempt, { what: "setup" });
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
      if (toState(entry).done) return false;
      const committed = await this.#kv.atomic()
        .check(entry, { key: byEmail, versionstamp: null })
        .set(key, { v: 1, state: "done", at: owner.createdAt })
        .set(keys.user(owner.tenant, owner.id), owner)
        .set(byEmail, { tenant: owner.tenant, id: owner.id })
        .commit();
      return committed.ok ? true : undefined;
    };
    return untilCommitted(attempt, { what: "setup" });
  }
}

function toState(entry: Deno.KvEntryMaybe<unknown>): SetupState {
  const record = parseRecord(setupRecordSchema, entry);
  if (record === undefined) return { done: false };
  return record.state === "done" ? { done: true } : { done: false, tokenHash: record.tokenHash };
}
