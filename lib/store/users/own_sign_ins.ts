import type { Runtime } from "../../platform/runtime.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { deletePrefixes, readMany } from "../values/chunks.ts";
import { parseRecord } from "../values/record.ts";
import { detailsKey, type SignInDetails, signInDetailsSchema } from "./sign_in_details.ts";
import { hasEnded, type PasswordTimes, signInRecordSchema, toSignIn } from "./sign_in_store.ts";
import type { User } from "./user_record.ts";

/** One of a user's sign-ins, as they see it. */
export interface OwnSignIn extends PasswordTimes, SignInDetails {
  /** The SHA-256 of its cookie. */
  hash: string;
  /** When it was last used, at most a minute late. */
  usedAt: number;
}

/** The sign-ins of one user, for the user. */
export class OwnSignIns {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now" | "uuid">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now" | "uuid">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** The live sign-ins, the latest used first. Those that still need a second factor are among them. */
  async list({ tenant, id, epoch }: Pick<User, "tenant" | "id" | "epoch">): Promise<OwnSignIn[]> {
    const prefix = keys.signInDetailsOf(tenant, id);
    const entries = await Array.fromAsync(this.#kv.list({ prefix }));
    const hashes = entries.map(({ key }) => String(key.at(-1)));
    const stored = await readMany(this.#kv, hashes.map((hash) => keys.signIn(hash)));
    const now = this.#runtime.now();
    return entries.flatMap((entry, n): OwnSignIn[] => {
      const record = parseRecord(signInRecordSchema, stored[n]!);
      if (record === undefined || hasEnded(record, now) || record.epoch !== epoch) return [];
      const { v: _v, exp: _exp, ...details } = parseRecord(signInDetailsSchema, entry)!;
      const { createdAt, provenAt } = toSignIn(record);
      return [{ ...details, createdAt, provenAt, hash: hashes[n]! }];
    }).sort((a, b) => b.usedAt - a.usedAt);
  }

  /** Ends one sign-in; false if the user has no such sign-in. */
  async end(
    user: Pick<User, "tenant" | "id" | "email">,
    hash: string,
  ): Promise<boolean> {
    const { tenant, id, email } = user;
    const entry = await this.#kv.get(keys.signIn(hash));
    const record = parseRecord(signInRecordSchema, entry);
    if (record?.tenant !== tenant || record.userId !== id) return false;
    const step = this.#kv.atomic().check(entry).delete(entry.key);
    step.delete(detailsKey({ ...record, hash }));
    const target = { id, name: email };
    recordChange(step, this.#runtime, { tenant, kind: "sign-in", action: "end session", target });
    // It was extended at the same time.
    return (await step.commit()).ok || await this.end(user, hash);
  }

  /** Deletes what is known of the sign-ins of a removed user. */
  forget({ tenant, id }: Pick<User, "tenant" | "id">): Promise<void> {
    return deletePrefixes(this.#kv, [keys.signInDetailsOf(tenant, id)]);
  }
}
