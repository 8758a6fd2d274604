import { z } from "zod";
import { newApiKey, parseApiKey } from "../credentials/api_key_format.ts";
import type { Signer } from "../credentials/hashing.ts";
import { iso, type System } from "../system.ts";
import type { NewApiKey } from "../wire/api_key.ts";
import { type Scope, SCOPE_NAMES } from "../wire/scopes.ts";
import { keys } from "./keys.ts";
import { parseRecord, untilCommitted } from "./record.ts";

const apiKeyRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  tenant: z.uuid(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPE_NAMES)),
  createdAt: z.int(),
  lastUsedAt: z.int().optional(),
  expiresAt: z.int().optional(),
  revokedAt: z.int().optional(),
  /** One, or two while a rotation overlaps; `hash` is the keyed HMAC of the secret part. */
  secrets: z.array(z.object({
    prefix: z.string(),
    hash: z.string(),
    createdAt: z.int(),
    expiresAt: z.int().optional(),
  })).min(1).max(2),
});
type ApiKeyRecord = z.infer<typeof apiKeyRecordSchema>;

/** An API key as people see it: never its secret, never its hash. Times are ISO 8601 UTC. */
export interface ApiKey {
  id: string;
  name: string;
  scopes: Scope[];
  state: "active" | "revoked" | "expired";
  createdAt: string;
  lastUsedAt?: string;
  expiresAt?: string;
  revokedAt?: string;
  secrets: { prefix: string; createdAt: string; expiresAt?: string }[];
}

/** Whom a verified key speaks for. */
export interface ApiKeyIdentity {
  id: string;
  tenant: string;
  scopes: Scope[];
}

/** API keys: made, shown once, verified, revoked. */
export class ApiKeyStore {
  #kv: Deno.Kv;
  #system: System;
  #signer: Signer;
  #onRevoked: (id: string) => void;

  /** `onRevoked` is told the id of each key that is revoked. */
  constructor(
    kv: Deno.Kv,
    options: { system: System; signer: Signer; onRevoked?: (id: string) => void },
  ) {
    this.#kv = kv;
    this.#system = options.system;
    this.#signer = options.signer;
    this.#onRevoked = options.onRevoked ?? (() => {});
  }

  /** Makes a key; `secret` is the whole key text and is not to be had again. */
  async create(tenant: string, input: NewApiKey): Promise<{ apiKey: ApiKey; secret: string }> {
    const now = this.#system.now();
    const parts = newApiKey((n) => this.#system.randomBytes(n));
    const record: ApiKeyRecord = {
      v: 1,
      id: this.#system.uuid(),
      tenant,
      name: input.name,
      scopes: [...new Set(input.scopes)],
      createdAt: now,
      ...(input.expiresAt === undefined ? {} : { expiresAt: Date.parse(input.expiresAt) }),
      secrets: [{
        prefix: parts.prefix,
        hash: await this.#signer.sign(parts.secret),
        createdAt: now,
      }],
    };
    const byPrefix = keys.apiKeyByPrefix(parts.prefix);
    const committed = await this.#kv.atomic()
      .check({ key: byPrefix, versionstamp: null })
      .set(keys.apiKey(tenant, record.id), record)
      .set(byPrefix, { tenant, id: record.id })
      .commit();
    // A prefix drawn twice (1 in 62^8) is drawn again.
    if (!committed.ok) return await this.create(tenant, input);
    return { apiKey: this.#toApiKey(record), secret: parts.key };
  }

  /** All keys of a tenant, newest first. */
  async list(tenant: string): Promise<ApiKey[]> {
    const found: ApiKeyRecord[] = [];
    for await (const entry of this.#kv.list({ prefix: keys.apiKeys(tenant) })) {
      const record = parseRecord(apiKeyRecordSchema, entry);
      if (record) found.push(record);
    }
    found.sort((a, b) => b.createdAt - a.createdAt || a.id.localeCompare(b.id));
    return found.map((record) => this.#toApiKey(record));
  }

  /** Revokes for good; `null` when the tenant has no such key. Repeating it changes nothing. */
  async revoke(tenant: string, id: string): Promise<ApiKey | null> {
    const key = keys.apiKey(tenant, id);
    const attempt = async (): Promise<ApiKey | null | undefined> => {
      const entry = await this.#kv.get(key);
      const record = parseRecord(apiKeyRecordSchema, entry);
      if (record === undefined) return null;
      if (record.revokedAt !== undefined) return this.#toApiKey(record);
      const next = { ...record, revokedAt: this.#system.now() };
      const committed = await this.#kv.atomic().check(entry).set(key, next).commit();
      return committed.ok ? this.#toApiKey(next) : undefined;
    };
    const revoked = await untilCommitted(attempt, { what: "API key" });
    if (revoked !== null) this.#onRevoked(id);
    return revoked;
  }

  /** The id behind a public prefix, within the tenant. */
  async findByPrefix(tenant: string, prefix: string): Promise<string | undefined> {
    const owner = await this.#owner(prefix);
    return owner?.tenant === tenant ? owner.id : undefined;
  }

  /**
   * Whom `text` speaks for, or `undefined` when it is malformed, unknown, wrong, expired or revoked.
   * An unknown prefix costs the same HMAC as a wrong secret.
   */
  async verify(text: string): Promise<ApiKeyIdentity | undefined> {
    const parts = parseApiKey(text);
    if (parts === undefined) return undefined;
    const owner = await this.#owner(parts.prefix);
    const key = keys.apiKey(owner?.tenant ?? "none", owner?.id ?? "none");
    const record = parseRecord(apiKeyRecordSchema, await this.#kv.get(key));
    const secret = record?.secrets.find((candidate) => candidate.prefix === parts.prefix);
    const genuine = await this.#signer.verify(parts.secret, secret?.hash ?? "");
    if (!genuine || record === undefined || secret === undefined) return undefined;
    const now = this.#system.now();
    if (this.#state(record) !== "active" || (secret.expiresAt ?? Infinity) <= now) return undefined;
    await this.#touch(record, now);
    return { id: record.id, tenant: record.tenant, scopes: record.scopes };
  }

  /** Notes the use, to the minute: at most one write a minute, and a lost race is no loss. */
  async #touch(record: ApiKeyRecord, now: number): Promise<void> {
    const minute = now - now % 60_000;
    if ((record.lastUsedAt ?? 0) >= minute) return;
    const key = keys.apiKey(record.tenant, record.id);
    const entry = await this.#kv.get(key);
    const fresh = parseRecord(apiKeyRecordSchema, entry);
    if (fresh === undefined || fresh.revokedAt !== undefined) return;
    await this.#kv.atomic().check(entry).set(key, { ...fresh, lastUsedAt: minute }).commit();
  }

  async #owner(prefix: string): Promise<{ tenant: string; id: string } | undefined> {
    const entry = await this.#kv.get<{ tenant: string; id: string }>(keys.apiKeyByPrefix(prefix));
    return entry.value ?? undefined;
  }

  #state(record: ApiKeyRecord): ApiKey["state"] {
    if (record.revokedAt !== undefined) return "revoked";
    return (record.expiresAt ?? Infinity) <= this.#system.now() ? "expired" : "active";
  }

  #toApiKey(record: ApiKeyRecord): ApiKey {
    return {
      id: record.id,
      name: record.name,
      scopes: record.scopes,
      state: this.#state(record),
      createdAt: iso(record.createdAt),
      ...(record.lastUsedAt === undefined ? {} : { lastUsedAt: iso(record.lastUsedAt) }),
      ...(record.expiresAt === undefined ? {} : { expiresAt: iso(record.expiresAt) }),
      ...(record.revokedAt === undefined ? {} : { revokedAt: iso(record.revokedAt) }),
      secrets: record.secrets.map((secret) => ({
        prefix: secret.prefix,
        createdAt: iso(secret.createdAt),
        ...(secret.expiresAt === undefined ? {} : { expiresAt: iso(secret.expiresAt) }),
      })),
    };
  }
}
