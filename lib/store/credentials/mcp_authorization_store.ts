import { z } from "zod";
import { sha256 } from "../../platform/crypto/signer.ts";
import type { SealContext, Sealer } from "../../platform/crypto/sealing.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { type AuditedChange, recordChange } from "../audit/audit_record.ts";
import type { ResealTask } from "../encryption/reseal_task.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";

/** The purpose of the sealer of authorizations. */
export const MCP_AUTHORIZATIONS_PURPOSE = "mcp authorizations";

/** Why a connection does not work until it is connected again. */
export const MCP_PROBLEMS = ["expired", "revoked", "rejected", "client_rejected"] as const;
export type McpProblem = typeof MCP_PROBLEMS[number];

const headSchema = z.object({
  /** Of the MCP server, without a fragment. */
  url: z.string(),
  /** `new` until the first connection is complete. */
  state: z.enum(["new", "connected", "attention"]),
  problem: z.enum(MCP_PROBLEMS).optional(),
  /** Of the authorization server. */
  issuer: z.string().optional(),
  grantType: z.enum(["authorization_code", "client_credentials"]).optional(),
  scope: z.string().optional(),
  /** E-mail address of the user. */
  connectedBy: z.string().optional(),
  /** Milliseconds, as all times here. */
  connectedAt: z.int().optional(),
  /** Of the access token, if the authorization server said so. */
  expiresAt: z.int().optional(),
  /** From when on it is renewed, so that it outlives a call. */
  renewAt: z.int().optional(),
  /** Whether a new access token can be requested without a person. */
  isRenewable: z.boolean().optional(),
  /** No new token is requested before, after a failure that may pass. */
  retryAt: z.int().optional(),
});
export type McpAuthorizationHead = z.infer<typeof headSchema>;

const grantSchema = z.object({
  tokenEndpoint: z.string(),
  revocationEndpoint: z.string().optional(),
  /** How the client authenticates, as the authorization server supports it. */
  authMethods: z.array(z.string()),
  client: z.object({
    client_id: z.string(),
    client_secret: z.string().optional(),
    token_endpoint_auth_method: z.string().optional(),
  }),
  /** The `resource` parameter of RFC 8707. */
  resource: z.string(),
  scope: z.string().optional(),
  accessToken: z.string().optional(),
  refreshToken: z.string().optional(),
});
/** What is sealed: the tokens, and where they may be sent. */
export type McpGrant = z.infer<typeof grantSchema>;

const recordSchema = headSchema.extend({
  v: z.literal(1),
  sealed: z.instanceof(Uint8Array).optional(),
  /** A process requests new tokens; others wait for them until then. */
  renewal: z.object({ id: z.string(), until: z.int() }).optional(),
  /** A connection in progress; one at a time. */
  pending: z.object({
    /** SHA-256 of the one-time id, which only the user's browser has. */
    idHash: z.string(),
    /** SHA-256 of the cookie of the user's sign-in. */
    signInHash: z.string(),
    until: z.int(),
    sealed: z.instanceof(Uint8Array),
  }).optional(),
});
type McpRecord = z.infer<typeof recordSchema>;

export interface McpSnapshot {
  tenant: string;
  /** Of the server: see `mcpServerId`. */
  id: string;
  entry: Deno.KvEntryMaybe<unknown>;
  record: McpRecord | undefined;
}

export interface McpWrite {
  head?: McpAuthorizationHead;
  /** `null` deletes the tokens; `undefined` keeps them. */
  grant?: McpGrant | null;
  renewal?: McpRecord["renewal"] | null;
  pending?: Omit<NonNullable<McpRecord["pending"]>, "sealed"> & { content: unknown } | null;
  audit?: Omit<AuditedChange, "tenant" | "kind" | "target">;
}

/** A server's URL as it is compared and stored; `undefined` if it is not one, or holds credentials. */
export function normalizeMcpUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  url.hash = "";
  return url.href;
}

/** Identifies a server within a tenant, and in the redirect URI of its authorization. */
export async function mcpServerId(url: string): Promise<string> {
  return (await sha256(url)).slice(0, 22);
}

/** Whether a text can be the id of a server; others may be too long for a key of the store. */
export function isMcpServerId(text: string): boolean {
  return /^[\w-]{22}$/.test(text);
}

/**
 * Authorizations of tenants at MCP servers that demand OAuth. Tokens are write-only like secrets. Every
 * write checks that the record is still what was read, so that of two processes one wins.
 */
export class McpAuthorizationStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Runtime;
  readonly #sealer: Sealer;

  /** The sealer's purpose is `MCP_AUTHORIZATIONS_PURPOSE`. */
  constructor(kv: Deno.Kv, { runtime, sealer }: { runtime: Runtime; sealer: Sealer }) {
    this.#kv = kv;
    this.#runtime = runtime;
    this.#sealer = sealer;
  }

  /** `url` is normalized. */
  async read(tenant: string, url: string): Promise<McpSnapshot> {
    return await this.readById(tenant, await mcpServerId(url));
  }

  async readById(tenant: string, id: string): Promise<McpSnapshot> {
    const entry = await this.#kv.get(keys.mcpAuthorization(tenant, id));
    return { tenant, id, entry, record: parseRecord(recordSchema, entry) };
  }

  /** Every server of the tenant that is, or was, connected; never tokens. */
  async list(tenant: string): Promise<McpAuthorizationHead[]> {
    const rows = this.#kv.list({ prefix: keys.mcpAuthorizations(tenant) });
    const heads = await Array.fromAsync(rows, (entry) => {
      return headSchema.parse(parseRecord(recordSchema, entry));
    });
    return heads.filter(({ state }) => state !== "new");
  }

  /** Throws `UnsealError` if the encryption key or the record was changed. */
  async grantOf({ entry, record }: McpSnapshot): Promise<McpGrant | undefined> {
    if (record?.sealed === undefined) return undefined;
    return grantSchema.parse(await this.#unseal(record.sealed, grantContext(entry.key, record)));
  }

  /** What was stored with a connection in progress. Throws `UnsealError`. */
  async pendingOf({ entry, record }: McpSnapshot): Promise<unknown> {
    if (record?.pending === undefined) return undefined;
    return await this.#unseal(record.pending.sealed, pendingContext(entry.key, record));
  }

  /**
   * Returns what is stored then; `undefined` if the record was changed since it was read. A server that
   * was never connected is stored only while a connection is in progress.
   */
  async write(snapshot: McpSnapshot, change: McpWrite): Promise<McpSnapshot | undefined> {
    const { entry, tenant, id } = snapshot;
    const record = await this.#changed(snapshot, change);
    const step = this.#kv.atomic().check(entry);
    const isOver = record.state === "new" && record.pending === undefined;
    if (isOver) step.delete(entry.key);
    else step.set(entry.key, record, expiryOf(record, this.#runtime.now()));
    this.#audit(step, { tenant, url: record.url, audit: change.audit });
    const result = await step.commit();
    if (!result.ok) return undefined;
    const { key } = entry;
    if (isOver) {
      return { tenant, id, record: undefined, entry: { key, value: null, versionstamp: null } };
    }
    return { tenant, id, record, entry: { key, value: record, versionstamp: result.versionstamp } };
  }

  /** False if the record was changed since it was read. */
  async delete({ entry, tenant, record }: McpSnapshot, audit: McpWrite["audit"]): Promise<boolean> {
    const step = this.#kv.atomic().check(entry).delete(entry.key);
    this.#audit(step, { tenant, url: record?.url ?? "", audit });
    return (await step.commit()).ok;
  }

  async #changed({ entry, record }: McpSnapshot, change: McpWrite): Promise<McpRecord> {
    const { head = record, grant, renewal, pending } = change;
    if (head === undefined) throw new Error("a new authorization needs a head");
    const next: McpRecord = { v: 1, ...headSchema.parse(head) };
    const sealed = grant === undefined
      ? record?.sealed
      : grant && await this.#seal(grant, grantContext(entry.key, next));
    if (sealed) next.sealed = sealed;
    const nextRenewal = renewal === undefined ? record?.renewal : renewal;
    if (nextRenewal) next.renewal = nextRenewal;
    if (pending === undefined && record?.pending) next.pending = record.pending;
    if (pending) {
      const { content, ...facts } = pending;
      const context = pendingContext(entry.key, next);
      next.pending = { ...facts, sealed: await this.#seal(content, context) };
    }
    return next;
  }

  #audit(
    step: Deno.AtomicOperation,
    { tenant, url, audit }: { tenant: string; url: string; audit: McpWrite["audit"] },
  ): void {
    if (audit === undefined) return;
    const target = { id: url, name: new URL(url).host };
    recordChange(step, this.#runtime, { tenant, kind: "mcp server", target, ...audit });
  }

  #seal(value: unknown, context: SealContext): Promise<Uint8Array<ArrayBuffer>> {
    return this.#sealer.seal(new TextEncoder().encode(JSON.stringify(value)), context);
  }

  async #unseal(sealed: Uint8Array, context: SealContext): Promise<unknown> {
    return JSON.parse(new TextDecoder().decode(await this.#sealer.unseal(sealed, context)));
  }
}

export function resealMcpAuthorizations(sealer: Sealer, now: () => number): ResealTask {
  return {
    kind: "mcp authorizations",
    prefix: keys.allMcpAuthorizations(),
    async *reseal(entry) {
      const record = parseRecord(recordSchema, entry)!;
      const { sealed, pending } = record;
      const tokens = sealed && await sealer.reseal(sealed, grantContext(entry.key, record));
      const inProgress = pending &&
        await sealer.reseal(pending.sealed, pendingContext(entry.key, record));
      if (tokens === undefined && inProgress === undefined) return;
      const next = {
        ...record,
        ...tokens && { sealed: tokens },
        ...pending && inProgress && { pending: { ...pending, sealed: inProgress } },
      };
      yield { entry, write: (step) => step.set(entry.key, next, expiryOf(next, now())) };
    },
  };
}

/** A connection that is never finished leaves nothing. */
function expiryOf({ state, pending }: McpRecord, now: number): { expireIn?: number } {
  if (state !== "new" || pending === undefined) return {};
  return { expireIn: Math.max(1, pending.until - now) };
}

/** Tokens of one tenant and server do not unseal as those of another. */
function grantContext(key: Deno.KvKey, { url }: { url: string }): SealContext {
  return [...key.map(String), url];
}

function pendingContext(key: Deno.KvKey, { url }: { url: string }): SealContext {
  return ["pending", ...grantContext(key, { url })];
}
