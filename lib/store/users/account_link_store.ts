import { z } from "zod";
import { base64url, sha256 } from "../../platform/crypto/hashing.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";

/** Long enough for a weekend and a forgotten mail. */
export const INVITE_TTL_MS = 7 * 86_400_000;
/** Shorter: it opens an account that exists. */
export const RESET_TTL_MS = 24 * 3_600_000;
/** One from the command line: whoever made it is at hand. */
export const COMMAND_LINE_RESET_TTL_MS = 3_600_000;

const shared = {
  v: z.literal(1),
  id: z.uuid(),
  tenant: z.uuid(),
  createdAt: z.int(),
  exp: z.int(),
  /** Who made it, and so has seen its token: it ends with their right to make one. */
  by: z.object({ tenant: z.uuid(), id: z.uuid() }).optional(),
};

const linkRecordSchema = z.discriminatedUnion("kind", [
  z.object({
    ...shared,
    kind: z.literal("invite"),
    /** Lower-cased. */
    email: z.string(),
    role: z.enum(["owner", "admin", "viewer"]),
  }),
  z.object({
    ...shared,
    kind: z.literal("reset"),
    /** Its `id` is the user's. */
    email: z.string(),
    /** The user's when it was made: whatever ends their sign-ins ends the link too. */
    epoch: z.int().optional(),
  }),
]);
export type AccountLink = z.infer<typeof linkRecordSchema>;
export type Invitation = Extract<AccountLink, { kind: "invite" }>;

/** A live link as it was found; spending it fails when it has been spent since. */
export interface FoundLink {
  link: AccountLink;
  entry: Deno.KvEntryMaybe<unknown>;
}

/**
 * One-time links to join a tenant or to choose a new password. Only a hash of a link's token is
 * stored: who reads the store can use none of them.
 */
export class AccountLinkStore {
  #kv: Deno.Kv;
  #runtime: Runtime;

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** An invitation and its token, which is not to be had again. */
  async createInvitation(
    tenant: string,
    { email, role, by }: Pick<Invitation, "email" | "role" | "by">,
  ): Promise<{ token: string; invitation: Invitation }> {
    const now = this.#runtime.now();
    const invitation: Invitation = {
      v: 1,
      kind: "invite",
      id: this.#runtime.uuid(),
      tenant,
      email,
      role,
      createdAt: now,
      exp: now + INVITE_TTL_MS,
      ...(by && { by }),
    };
    return { token: await this.#store(invitation), invitation };
  }

  /**
   * A token with which a user may choose a new password; an earlier one of theirs ends. Without `by`,
   * as from the command line, it lasts by itself.
   */
  async createResetLink(
    user: { id: string; tenant: string; email: string; epoch: number },
    { by, ttlMs = RESET_TTL_MS }: { by?: AccountLink["by"]; ttlMs?: number },
  ): Promise<string> {
    const { id, tenant, email, epoch } = user;
    const createdAt = this.#runtime.now();
    const times = { createdAt, exp: createdAt + ttlMs };
    const link = { v: 1 as const, kind: "reset" as const, id, tenant, email, epoch, ...times };
    return await this.#store({ ...link, ...(by && { by }) });
  }

  /** The live link behind a token. */
  async find<K extends AccountLink["kind"]>(
    token: string,
    kind: K,
  ): Promise<FoundLink & { link: Extract<AccountLink, { kind: K }> } | undefined> {
    const entry = await this.#kv.get(keys.accountLink(await sha256(token)));
    const link = parseRecord(linkRecordSchema, entry);
    if (link === undefined || link.exp <= this.#runtime.now() || link.kind !== kind) {
      return undefined;
    }
    return { link: link as Extract<AccountLink, { kind: K }>, entry };
  }

  /** Invitations of a tenant that nobody has used yet. */
  async listInvitations(tenant: string): Promise<Invitation[]> {
    const found: Invitation[] = [];
    const now = this.#runtime.now();
    for await (
      const { value } of this.#kv.list<string>({ prefix: keys.accountLinksByTenant(tenant) })
    ) {
      const link = parseRecord(linkRecordSchema, await this.#kv.get(keys.accountLink(value)));
      if (link?.kind === "invite" && link.exp > now) found.push(link);
    }
    return found.sort((a, b) => a.createdAt - b.createdAt);
  }

  /** Takes an invitation back; false when there is none. */
  async revokeInvitation(tenant: string, id: string): Promise<boolean> {
    const place = await this.#kv.get<string>(keys.accountLinkByTenant(tenant, id));
    if (place.value === null) return false;
    const entry = await this.#kv.get(keys.accountLink(place.value));
    const link = parseRecord(linkRecordSchema, entry);
    if (link?.kind !== "invite") return false;
    const step = this.#kv.atomic();
    consumeLink(step, { link, entry });
    this.#record(step, link, "withdraw");
    return (await step.commit()).ok;
  }

  async #store(link: AccountLink): Promise<string> {
    const token = base64url(this.#runtime.randomBytes(32));
    const hash = await sha256(token);
    const place = keys.accountLinkByTenant(link.tenant, link.id);
    const earlier = await this.#kv.get<string>(place);
    const expireIn = link.exp - link.createdAt;
    const step = this.#kv.atomic()
      .check(earlier)
      .set(keys.accountLink(hash), link, { expireIn })
      .set(place, hash, { expireIn });
    if (earlier.value !== null) step.delete(keys.accountLink(earlier.value));
    this.#record(step, link, link.kind === "invite" ? "create" : "create reset link");
    // Two resets of one user at once: whoever was second draws again, and the first one's link ends.
    return (await step.commit()).ok ? token : await this.#store(link);
  }

  #record(step: Deno.AtomicOperation, link: AccountLink, action: string): void {
    recordChange(step, this.#runtime, {
      tenant: link.tenant,
      kind: link.kind === "invite" ? "invite" : "user",
      action,
      target: { id: link.id, name: link.email },
      ...(link.kind === "invite" && action === "create" ? { after: { role: link.role } } : {}),
    });
  }
}

/** Spends a link in the step that does what it is for: used twice at once, it works once. */
export function consumeLink(step: Deno.AtomicOperation, { link, entry }: FoundLink): void {
  step.check(entry).delete(entry.key).delete(keys.accountLinkByTenant(link.tenant, link.id));
}
