import { v5 as nameBasedUuid } from "uuid";
import { z } from "zod";
import { base64url, sha256 } from "../../platform/crypto/signer.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { countKeys } from "../shared/count_keys.ts";
import { requireQuotaFor } from "../tenants/counted_quota.ts";
import { readMany } from "../values/chunks.ts";
import { parseRecord } from "../values/record.ts";
import { isMember } from "./membership_record.ts";

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
    /** Somebody who has not signed in has asked for it, and it was sent to the user. */
    requested: z.literal(true).optional(),
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
   * again. Throws `ApiError` 403 beyond the plan's users.
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
    { by, ttlMs = RESET_TTL_MS, requested = false }: {
      by?: AccountLink["by"];
      ttlMs?: number;
      /** It replaces only earlier ones that were requested: strangers must not end other links. */
      requested?: boolean;
    },
  ): Promise<string> {
    const { id, tenant, email, epoch } = user;
    const shared = this.#newLink({ id, tenant, email, by }, ttlMs);
    return await this.#store({
      ...{ ...shared, kind: "reset", epoch },
      ...requested && { requested },
    });
  }

  /** When the unused link that was last requested for a user was created. */
  async requestedAt({ tenant, id }: { tenant: string; id: string }): Promise<number | undefined> {
    const { value } = await this.#kv.get<string>(
      keys.accountLinkByTenant(tenant, requestedLinkId(id)),
    );
    if (value === null) return undefined;
    return parseRecord(linkRecordSchema, await this.#kv.get(keys.accountLink(value)))?.createdAt;
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
    const found = await readInvitations(this.#kv, { tenant, now: this.#runtime.now() });
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
    const indexKey = indexKeyOf(link);
    const earlier = await this.#kv.get<string>(indexKey);
    const admit = link.kind === "invite" ? await this.#admit(link, earlier) : undefined;
    const expireIn = link.exp - link.createdAt;
    const step = this.#kv.atomic()
      .check(earlier)
      .set(keys.accountLink(hash), link, { expireIn })
      .set(indexKey, hash, { expireIn });
    if (earlier.value !== null) step.delete(keys.accountLink(earlier.value));
    admit?.(step);
    this.#record(step, link, creationOf(link));
    // Of two concurrent resets of one user, the second retries and replaces the first one's link.
    return (await step.commit()).ok ? token : await this.#store(link);
  }

  /** Every step that uses or withdraws the earlier invitation also deletes `earlier`. */
  async #admit({ tenant, email }: Invitation, earlier: Deno.KvEntryMaybe<string>) {
    const now = this.#runtime.now();
    const entry = earlier.value === null
      ? undefined
      : await this.#kv.get(keys.accountLink(earlier.value));
    const replaced = entry && parseRecord(linkRecordSchema, entry);
    const isReplacement = replaced?.kind === "invite" && replaced.exp > now;
    return await admitUser(this.#kv, { tenant, now, email, isReplacement });
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

/**
 * Checks the plan's quota of users for one more with this address; an open invitation of the address is not
 * counted. Returns what to add to the step that stores the user or the invitation.
 */
export function admitUser(
  kv: Deno.Kv,
  { tenant, now, email, isReplacement = false }: {
    tenant: string;
    now: number;
    email: string;
    isReplacement?: boolean;
  },
): ReturnType<typeof requireQuotaFor> {
  const count = () => countUsers(kv, { tenant, now, except: email });
  return requireQuotaFor(kv, { tenant, quota: "users", count, isReplacement });
}

/**
 * What the plan's quota of users counts: users, and open invitations of addresses that are not users'. The
 * invitation of somebody who joined in another way stays open, and is not counted twice.
 */
export async function countUsers(
  kv: Deno.Kv,
  { tenant, now, except }: { tenant: string; now: number; except?: string },
): Promise<number> {
  let invited = 0;
  for (const { email } of await readInvitations(kv, { tenant, now })) {
    if (email !== except && !await isMember(kv, tenant, email)) invited++;
  }
  return invited + await countKeys(kv, keys.users(tenant));
}

async function readInvitations(
  kv: Deno.Kv,
  { tenant, now }: { tenant: string; now: number },
): Promise<Invitation[]> {
  const rows = kv.list<string>({ prefix: keys.accountLinksByTenant(tenant) });
  const wanted = await Array.fromAsync(rows, ({ value }) => keys.accountLink(value));
  const links = (await readMany(kv, wanted)).map((entry) => parseRecord(linkRecordSchema, entry));
  return links.filter((link) => link?.kind === "invite").filter(({ exp }) => exp > now);
}

/** Deletes a link in the step that uses it: of two concurrent uses, one fails. */
export function consumeLink(step: Deno.AtomicOperation, { link, entry }: FoundLink): void {
  step.check(entry).delete(entry.key).delete(indexKeyOf(link));
}

function creationOf(link: AccountLink): string {
  if (link.kind === "invite") return "create";
  return link.requested ? "request reset link" : "create reset link";
}

function indexKeyOf(link: AccountLink): Deno.KvKey {
  const isRequested = link.kind === "reset" && link.requested;
  return keys.accountLinkByTenant(link.tenant, isRequested ? requestedLinkId(link.id) : link.id);
}

function requestedLinkId(userId: string): string {
  return nameBasedUuid("requested", userId);
}
