import { z } from "zod";
import { keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";

export const userRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  tenant: z.uuid(),
  /** Lower-cased. */
  email: z.string(),
  passwordHash: z.string(),
  role: z.enum(["owner", "admin", "viewer"]),
  operator: z.boolean(),
  createdAt: z.int(),
  /** A sign-in with another number has ended: increasing it ends all of them. */
  epoch: z.int().default(0),
});
export type User = z.infer<typeof userRecordSchema>;

/** A user with its entry, which a change checks. */
export type Member = { user: User; entry: Deno.KvEntry<unknown> };

/** The users under a prefix. */
export async function readMembers(kv: Deno.Kv, prefix: Deno.KvKey): Promise<Member[]> {
  return await Array.fromAsync(kv.list({ prefix }), (entry) => {
    return { user: parseRecord(userRecordSchema, entry)!, entry };
  });
}

/** The operators of the installation, in all tenants. Reads every user: operators change rarely. */
export async function readOperators(kv: Deno.Kv): Promise<Member[]> {
  return (await readMembers(kv, keys.allUsers())).filter(({ user }) => user.operator);
}

/**
 * An operator besides `id`. If a step that takes the role from `id` checks this entry, two operators who
 * take the role from each other cannot both succeed.
 */
export async function findOtherOperator(kv: Deno.Kv, id: string): Promise<Member | undefined> {
  return (await readOperators(kv)).find(({ user }) => user.id !== id);
}

/** The fields that the audit log records: never the password's hash. */
export function auditedFields({ email, role, operator }: User) {
  return { email, role, operator };
}

/** Instead of a hash: the user signs in at the provider only, and gets no password by a link. */
export const NO_PASSWORD = "none: signs in with OpenID Connect";

export function hasPassword({ passwordHash }: Pick<User, "passwordHash">): boolean {
  return passwordHash !== NO_PASSWORD;
}
