import type { KvReader } from "../tx/view.ts";
import { newApiKey, parseApiKey } from "./api_key_format.ts";
import type { Signer } from "../../platform/crypto/hashing.ts";
import { isoTime, type Runtime } from "../../platform/runtime.ts";
import type { NewApiKey } from "../../schemas/api_key.ts";
import type { Scope } from "../../schemas/scopes.ts";
import {
  type ApiKey,
  type ApiKeyRecord,
  apiKeyRecordSchema,
  apiKeyState,
  auditedFields,
  toApiKey,
} from "./api_key_record.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";

export type { ApiKey } from "./api_key_record.ts";

/** Whom a verified key speaks for. */
export interface ApiKeyIdentity {
  id: string;
  tenant: string;
  scopes: Scope[];
}

/** What came of a rotation; `secret` is the whole new key text and is not to be had again. */
export type RotationResult =
  | { apiKey: ApiKey; secret: string }
  | { refused: "not_found" | "not_active" }
  | { refused: "overlap"; until: string };

/** Whose a key is. */
interface KeyOwner {
  tenant: string;
  id: string;
}

/** Keys of what else a request reads once its key's owner is known: read together with the key. */
export type PrefetchKeys = (owner: { tenant: string; id: string }) => Deno.KvKey[];

/** Told which credential of a tenant has been revoked, before the revocation is answered. */
export type OnRevoked = (tenant: string, id: string) => void | Promise<void>;

/** API keys: made, shown once, verified, revoked. */
export class ApiKeyStore {
  #kv: Deno.Kv;
  #runtime: Runtime;
  #signer: Signer;
  #onRevoked: OnRevoked;

  /** `onRevoked` is told of each key that is revoked. */
  constructor(
    kv: Deno.Kv,
    options: { runtime: Runtime; signer: Signer; onRevoked?: OnRevoked },
  ) {
    this.#kv = kv;
    this.#runtime = options.runtime;
    this.#signer = options.signer;
    this.#onRevoked = options.onRevoked ?? (() => {});
  }

  /** Makes a key; `secret` is the whole key text and is not to be had again. */
  async create(tenant: string, input: NewApiKey): Promise<{ apiKey: ApiKey; secret: string }> {
    const now = this.#runtime.now();
    const parts = newApiKey((n) => this.#runtime.randomBytes(n));
    const record: ApiKeyRecord = {
      v: 1,
      id: this.#runtime.uuid(),
      tenant,
      name: input.name,
      scopes: [...new Set(input.scopes)],
      createdAt: now,
      ...(input.expiresAt === undefined ? {} : { expiresAt: Date.parse(input.expiresAt) }),
      secrets: [{
        prefix: parts.prefix,
        hash: await this.#signer.sign(parts.secret),
        signedBy: this.#signer.id,
        createdAt: now,
      }],
    };
    const byPrefix = keys.apiKeyByPrefix(parts.prefix);
    const creation = this.#kv.atomic()
      .check({ key: byPrefix, versionstamp: null })
      .set(keys.apiKey(tenant, record.id), record)
      .set(byPrefix, { tenant, id: record.id });
    this.#record(creation, "create", { after: record });
    const committed = await creation.commit();
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
    const uses = await this.#readLastUses(tenant);
    return found.map((record) => this.#toApiKey(record, uses.get(record.id)));
  }

  /** Revokes for good; `null` when the tenant has no such key. Repeating it changes nothing. */
  async revoke(tenant: string, id: string): Promise<ApiKey | null> {
    const key = keys.apiKey(tenant, id);
    const attempt = async (): Promise<ApiKey | null | undefined> => {
      const entry = await this.#kv.get(key);
      const record = parseRecord(apiKeyRecordSchema, entry);
      if (record === undefined) return null;
      if (record.revokedAt !== undefined) return this.#toApiKey(record);
      const next = { ...record, revokedAt: this.#runtime.now() };
      const revocation = this.#kv.atomic().check(entry).set(key, next);
      this.#record(revocation, "revoke", { before: record, after: next });
      return (await revocation.commit()).ok ? this.#toApiKey(next) : undefined;
    };
    const revoked = await retryUntilCommitted(attempt, { what: "API key" });
    if (revoked !== null) await this.#onRevoked(tenant, id);
    return revoked;
  }

  /**
   * Adds a new secret under the same id; the old one lives on for `overlapMs`, or ends at once at 0.
   * Refused while an earlier overlap lasts, because a key has two secrets at most.
   */
  async rotate(
    tenant: string,
    id: string,
    { overlapMs }: { overlapMs: number },
  ): Promise<RotationResult> {
    const parts = newApiKey((n) => this.#runtime.randomBytes(n));
    const hash = await this.#signer.sign(parts.secret);
    const attempt = async (): Promise<RotationResult | undefined> => {
      const entry = await this.#kv.get(keys.apiKey(tenant, id));
      const record = parseRecord(apiKeyRecordSchema, entry);
      if (record === undefined) return { refused: "not_found" };
      if (apiKeyState(record, this.#runtime.now()) !== "active") return { refused: "not_active" };
      const now = this.#runtime.now();
      const live = record.secrets.filter((secret) => (secret.expiresAt ?? Infinity) > now);
      const leaving = live.find((secret) => secret.expiresAt !== undefined);
      if (leaving?.expiresAt !== undefined) {
        return { refused: "overlap", until: isoTime(leaving.expiresAt) };
      }
      const ending = live.map((secret) => ({ ...secret, expiresAt: now + overlapMs }));
      const secrets = [...overlapMs > 0 ? ending : [], {
        prefix: parts.prefix,
        hash,
        signedBy: this.#signer.id,
        createdAt: now,
      }];
      return await this.#replaceSecrets(entry, { record, next: { ...record, secrets } })
        ? { apiKey: this.#toApiKey({ ...record, secrets }), secret: parts.key }
        : undefined;
    };
    return await retryUntilCommitted(attempt, { what: "API key" });
  }

  /** Ends an overlap now: the old secret is refused from then on. `null` when there is no such key. */
  async endOverlap(tenant: string, id: string): Promise<ApiKey | null> {
    const attempt = async (): Promise<ApiKey | null | undefined> => {
      const entry = await this.#kv.get(keys.apiKey(tenant, id));
      const record = parseRecord(apiKeyRecordSchema, entry);
      if (record === undefined) return null;
      const secrets = record.secrets.slice(-1);
      if (secrets.length === record.secrets.length) return this.#toApiKey(record);
      const next = { ...record, secrets };
      const replaced = await this.#replaceSecrets(entry, { record, next });
      return replaced ? this.#toApiKey(next) : undefined;
    };
    return await retryUntilCommitted(attempt, { what: "API key" });
  }

  /** The id behind a public prefix, within the tenant. */
  async findByPrefix(tenant: string, prefix: string): Promise<string | undefined> {
    const owner = await this.#findOwner(prefix);
    return owner?.tenant === tenant ? owner.id : undefined;
  }

  /**
   * Whom `text` speaks for, or `undefined` when it is malformed, unknown, wrong, expired or revoked.
   * An unknown prefix costs the same HMAC, and the same reads, as a wrong secret.
   */
  async verify(
    text: string,
    options: { reader?: KvReader; prefetch?: PrefetchKeys } = {},
  ): Promise<ApiKeyIdentity | undefined> {
    const reader: KvReader = options.reader ?? this.#kv;
    const parts = parseApiKey(text);
    if (parts === undefined) return undefined;
    // Before the first read, which ends the work early when memory does not have the key.
    const genuine = await this.#signer.verifier(parts.secret);
    const owner = await this.#findOwner(parts.prefix, reader);
    const { tenant, id } = owner ?? { tenant: "none", id: parts.prefix };
    const key = keys.apiKey(tenant, id);
    await reader.preload?.(() => [key, ...options.prefetch?.({ tenant, id }) ?? []]);
    const record = parseRecord(apiKeyRecordSchema, await reader.get(key));
    const secret = record?.secrets.find((candidate) => candidate.prefix === parts.prefix);
    const isGenuine = genuine(secret?.hash ?? "");
    if (!isGenuine || record === undefined || secret === undefined) return undefined;
    const now = this.#runtime.now();
    if (
      apiKeyState(record, this.#runtime.now()) !== "active" || (secret.expiresAt ?? Infinity) <= now
    ) {
      return undefined;
    }
    return { id: record.id, tenant: record.tenant, scopes: record.scopes };
  }

  /** Stores a key's other secrets, with the look-ups of those that came and went. */
  async #replaceSecrets(
    entry: Deno.KvEntryMaybe<unknown>,
    { record, next }: { record: ApiKeyRecord; next: ApiKeyRecord },
  ): Promise<boolean> {
    const { tenant, id } = record;
    const [old, now] = [record, next].map(({ secrets }) => secrets.map(({ prefix }) => prefix));
    const change = this.#kv.atomic().check(entry).set(entry.key, next);
    for (const prefix of old!.filter((one) => !now!.includes(one))) {
      change.delete(keys.apiKeyByPrefix(prefix));
    }
    for (const prefix of now!.filter((one) => !old!.includes(one))) {
      const key = keys.apiKeyByPrefix(prefix);
      change.check({ key, versionstamp: null }).set(key, { tenant, id });
    }
    const action = now!.at(-1) === old!.at(-1) ? "end overlap" : "rotate";
    this.#record(change, action, { before: record, after: next });
    return (await change.commit()).ok;
  }

  #toApiKey(record: ApiKeyRecord, lastUsedAt?: number): ApiKey {
    return toApiKey(record, { now: this.#runtime.now(), lastUsedAt });
  }

  #record(
    step: Deno.AtomicOperation,
    action: string,
    { before, after }: { before?: ApiKeyRecord; after: ApiKeyRecord },
  ): void {
    const { tenant, id, name } = after;
    recordChange(step, this.#runtime, {
      tenant,
      kind: "key",
      action,
      target: { id, name },
      before: before && auditedFields(before),
      after: auditedFields(after),
    });
  }

  async #findOwner(
    prefix: string,
    reader: KvReader = this.#kv,
  ): Promise<KeyOwner | undefined> {
    const key = keys.apiKeyByPrefix(prefix);
    // A prefix never changes hands, and the record that it leads to says whether it still counts.
    const { value } = await (reader.glance<KeyOwner>?.(key) ?? reader.get<KeyOwner>(key));
    return value ?? undefined;
  }

  /** When each key was last used, to the minute, by id. */
  async #readLastUses(tenant: string): Promise<Map<string, number>> {
    const uses = new Map<string, number>();
    const rows = this.#kv.list<{ all: number[] }>({ prefix: keys.apiKeyWindows(tenant) });
    for await (const { key, value } of rows) {
      const latest = value.all.at(-1);
      if (latest === undefined) continue;
      // Its window may be divided: the shards follow each other.
      const id = String(key[2]);
      uses.set(id, Math.max(uses.get(id) ?? 0, latest - latest % 60_000));
    }
    return uses;
  }
}
