import { v5 as nameBasedUuid } from "uuid";
import { z } from "zod";
import { base64url, sha256 } from "../../platform/crypto/signer.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";

/** Covers a weekend and a forgotten mail. */
export const INVITE_TTL_MS = 7 * 86_400_000;
/** Shorter: it gives access to an existing account. */
export const RESET_TTL_MS = 24 * 3_600_000;
/** Used at once by the operator who created it. */
export const COMMAND_LINE_RESET_TTL_MS = 3_600_000;

const shared = {
  v: z.literal(1),
  id: z.uuid(),
  tenant: z.uuid(),
  /** Lower-cased. */
  email: z.string(),
  createdAt: z.int(),
  exp: z.int(),
  /** The creator, who has seen the token: the link ends with their right to create one. */
  by: z.object({ tenant: z.uuid(), id: z.uuid() }).optional(),
};

const linkRecordSchema = z.discriminatedUnion("kind", [
  z.object({
    ...shared,
    kind: z.literal("invite"),
    role: z.enum(["owner", "admin", "viewer"]),
  }),
  z.object({
    ...shared,
    /** `id` is the user's. */
    kind: z.literal("reset"),
    /** The user's at creation: whatever ends their sign-ins also ends the link. */
    epoch: z.int().optional(),
  }),
]);
export type AccountLink = z.infer<typeof linkRecordSchema>;
export type Invitation = Extract<AccountLink, { kind: "invite" }>;

/** A live link and its entry, which `consumeLink` checks. */
export type FoundLink = { link: AccountLink; entry: Deno.KvEntryMaybe<unknown> };

/**
 * One-time links to join a tenant or to choose a new password. Only a hash of a link's token is stored,
 * so reading the store gives no access.
 */
export class AccountLinkStore {
  #kv: Deno.Kv;
  #runtime: Runtime;

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /**
   * Creates an invitation, which replaces an earlier one of the same address. Its token cannot be read
   * again.
   */
  async createInvitation(
    tenant: string,
    { email, role, by }: Pick<Invitation, "email" | "role" | "by">,
  ): Promise<{ token: string; invitation: Invitation; replaced: boolean }> {
    // One id per address: two invitations at once cannot both be stored.
    const id = nameBasedUuid(email, tenant);
    const earlier = (await this.listInvitations(tenant)).filter((one) => one.email === email);
    // Earlier releases gave each invitation an id of its own.
    for (const one of earlier.filter((one) => one.id !== id)) {
      await this.revokeInvitation(tenant, one.id);
    }
    const shared = this.#newLink({ id, tenant, email, by }, INVITE_TTL_MS);
    const invitation: Invitation = { ...shared, kind: "invite", role };
    const token = await this.#store(invitation);
    return { token, invitation, replaced: earlier.length > 0 };
  }

  /**
   * Creates the token of a password reset, which replaces an earlier one of the user. Without `by`, as on
   * the command line, no user's rights limit its life.
   */
  async createResetLink(
    user: { id: string; tenant: string; email: string; epoch: number },
    { by, ttlMs = RESET_TTL_MS }: { by?: AccountLink["by"]; ttlMs?: number },
  ): Promise<string> {
    const { epoch, ...rest } = user;
    const shared = this.#newLink({ ...rest, by }, ttlMs);
    return await this.#store({ ...shared, kind: "reset", epoch });
  }

  #newLink(
    { id, tenant, email, by }: Pick<AccountLink, "id" | "tenant" | "email" | "by">,
    ttlMs: number,
  ) {
    const createdAt = this.#runtime.now();
    const times = { createdAt, exp: createdAt + ttlMs };
    return { v: 1 as const, id, tenant, email, ...times, ...(by && { by }) };
  }

  /** The live link of a token. */
  async find<K extends AccountLink["kind"]>(
    token: string,
    kind: K,
  ): Promise<FoundLink & { link: Extract<AccountLink, { kind: K }> } | undefined> {
    const entry = await this.#kv.get(keys.accountLink(await sha256(token)));
    const link = parseRecord(linkRecordSchema, entry);
    const isLive = link !== undefined && link.exp > this.#runtime.now() && link.kind === kind;
    return isLive ? { link: link as Extract<AccountLink, { kind: K }>, entry } : undefined;
  }

  /** The unused invitations of a tenant, oldest first. */
  async listInvitations(tenant: string): Promise<Invitation[]> {
    const found: Invitation[] = [];
    const now = this.#runtime.now();
    const rows = this.#kv.list<string>({ prefix: keys.accountLinksByTenant(tenant) });
    for await (const { value } of rows) {
      const link = parseRecord(linkRecordSchema, await this.#kv.get(keys.accountLink(value)));
      if (link?.kind === "invite" && link.exp > now) found.push(link);
    }
    return found.sort((a, b) => a.createdAt - b.createdAt);
  }

  /** Revokes an invitation; false if there is none. */
  async revokeInvitation(tenant: string, id: string): Promise<boolean> {
    const { value: hash } = await this.#kv.get<string>(keys.accountLinkByTenant(tenant, id));
    if (hash === null) return false;
    const entry = await this.#kv.get(keys.accountLink(hash));
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
    const indexKey = keys.accountLinkByTenant(link.tenant, link.id);
    const earlier = await this.#kv.get<string>(indexKey);
    const expireIn = link.exp - link.createdAt;
    const step = this.#kv.atomic()
      .check(earlier)
      .set(keys.accountLink(hash), link, { expireIn })
      .set(indexKey, hash, { expireIn });
    if (earlier.value !== null) step.delete(keys.accountLink(earlier.value));
    this.#record(step, link, link.kind === "invite" ? "create" : "create reset link");
    // Of two concurrent resets of one user, the second retries and replaces the first one's link.
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

/** Deletes a link in the step that uses it: of two concurrent uses, one fails. */
export function consumeLink(step: Deno.AtomicOperation, { link, entry }: FoundLink): void {
  step.check(entry).delete(entry.key).delete(keys.accountLinkByTenant(link.tenant, link.id));
}
