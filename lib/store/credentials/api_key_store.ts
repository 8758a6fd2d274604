import type { Signer } from "../../platform/crypto/signer.ts";
import { isoTime, type Runtime } from "../../platform/runtime.ts";
import type { KeyRestrictions, NewApiKey } from "../../schemas/api_key.ts";
import type { Scope } from "../../schemas/scopes.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { takeTurns } from "../shared/take_turns.ts";
import { requireQuotaFor } from "../tenants/counted_quota.ts";
import type { KvReader } from "../tx/read_transaction.ts";
import {
  listRecords,
  listRecordsPart,
  parseRecord,
  type PartRequest,
  type RecordChange,
  updateRecord,
} from "../values/record.ts";
import { countActiveApiKeys } from "./count_active_api_keys.ts";
import { readLastUses, windowsBetween, windowsOfTenant } from "./read_last_uses.ts";
import { newApiKey, parseApiKey } from "./api_key_format.ts";
import {
  type ApiKey,
  type ApiKeyRecord,
  apiKeyRecordSchema,
  apiKeyState,
  auditedFields,
  creator,
  type LastUse,
  toApiKey,
  withRestrictions,
} from "./api_key_record.ts";

export type { ApiKey } from "./api_key_record.ts";

/** The tenant and permissions of a verified key. */
export interface ApiKeyIdentity extends KeyRestrictions {
  id: string;
  tenant: string;
  name: string;
  scopes: Scope[];
}

/** The rotated key with its new `secret`, the whole key text; it cannot be read again. */
export type RotationResult =
  | { apiKey: ApiKey; secret: string }
  | { rejected: "not_found" | "not_active" }
  | { rejected: "overlap"; until: string };

type KeyOwner = { tenant: string; id: string };

/** Names keys that the caller will read once the owner of an API key is known. */
export type PrefetchKeys = (owner: { tenant: string; id: string }) => Deno.KvKey[];

/** Called with a revoked credential before the revocation is answered. */
export type OnRevoked = (tenant: string, id: string) => void | Promise<void>;

/** Creates, verifies, rotates and revokes API keys. */
export class ApiKeyStore {
  #kv: Deno.Kv;
  #runtime: Runtime;
  #signer: Signer;
  #onRevoked: OnRevoked;

  constructor(
    kv: Deno.Kv,
    options: { runtime: Runtime; signer: Signer; onRevoked?: OnRevoked },
  ) {
    this.#kv = kv;
    this.#runtime = options.runtime;
    this.#signer = options.signer;
    this.#onRevoked = options.onRevoked ?? (() => {});
  }

  /**
   * Creates a key; `secret` is the whole key text, which cannot be read again. Throws `ApiError` 403 beyond
   * the plan's keys.
   */
  async create(tenant: string, input: NewApiKey): Promise<{ apiKey: ApiKey; secret: string }> {
    return await takeTurns(this.#kv, `API keys ${tenant}`, () => this.#create(tenant, input));
  }

  async #create(tenant: string, input: NewApiKey): Promise<{ apiKey: ApiKey; secret: string }> {
    const count = () => countActiveApiKeys(this.#kv, { tenant, now: this.#runtime.now() });
    const admit = await requireQuotaFor(this.#kv, { tenant, quota: "apiKeys", count });
    const { secret, entry } = await this.#newSecret();
    const createdBy = creator();
    const { purpose, agents, addresses } = input;
    const record = withRestrictions({
      v: 1,
      id: this.#runtime.uuid(),
      tenant,
      name: input.name,
      scopes: [...new Set(input.scopes)],
      createdAt: entry.createdAt,
      ...(input.expiresAt === undefined ? {} : { expiresAt: Date.parse(input.expiresAt) }),
      ...purpose !== undefined && { purpose },
      ...createdBy && { createdBy },
      secrets: [entry],
    }, { agents, addresses });
    const byPrefix = keys.apiKeyByPrefix(entry.prefix);
    const step = this.#kv.atomic()
      .check({ key: byPrefix, versionstamp: null })
      .set(keys.apiKey(tenant, record.id), record)
      .set(byPrefix, { tenant, id: record.id });
    admit(step);
    this.#record(step, "create", { after: record });
    // Another key was added, or the prefix is taken (1 in 62^8): try again with another.
    if (!(await step.commit()).ok) return await this.#create(tenant, input);
    return { apiKey: this.#toApiKey(record), secret };
  }

  /** All keys of a tenant, newest first. */
  async list(tenant: string): Promise<ApiKey[]> {
    const records = await listRecords(this.#kv, keys.apiKeys(tenant), apiKeyRecordSchema);
    records.sort((a, b) => b.createdAt - a.createdAt || b.id.localeCompare(a.id));
    const uses = await readLastUses(this.#kv, windowsOfTenant(tenant));
    return records.map((record) => this.#toApiKey(record, uses.get(record.id)));
  }

  /** A part of `list`: a key's id begins with the time of its creation. */
  async listPart(tenant: string, part: PartRequest): Promise<ApiKey[]> {
    const of = { schema: apiKeyRecordSchema, part, reverse: true };
    const records = await listRecordsPart(this.#kv, keys.apiKeys(tenant), of);
    const [newest, oldest] = [records[0]?.id, records.at(-1)?.id];
    if (newest === undefined || oldest === undefined) return [];
    const windows = windowsBetween(tenant, { first: oldest, last: newest });
    const uses = await readLastUses(this.#kv, windows);
    return records.map((record) => this.#toApiKey(record, uses.get(record.id)));
  }

  /** A key of the tenant. */
  async get(tenant: string, id: string): Promise<ApiKey | undefined> {
    const record = parseRecord(apiKeyRecordSchema, await this.#kv.get(keys.apiKey(tenant, id)));
    if (record === undefined) return undefined;
    const uses = await readLastUses(this.#kv, windowsBetween(tenant, { first: id, last: id }));
    return this.#toApiKey(record, uses.get(id));
  }

  /** Revokes a key permanently and idempotently; `null` if the tenant has no such key. */
  async revoke(tenant: string, id: string): Promise<ApiKey | null> {
    const revoked = await this.#update(tenant, id, (record, save) => {
      if (record === undefined) return null;
      if (record.revokedAt !== undefined) return this.#toApiKey(record);
      const next = { ...record, revokedAt: this.#runtime.now() };
      this.#record(save(next), "revoke", { before: record, after: next });
      return this.#toApiKey(next);
    });
    if (revoked !== null) await this.#onRevoked(tenant, id);
    return revoked;
  }

  /**
   * Changes the restrictions of an active key, from its next request on; a list that `change` sets to
   * `undefined` is lifted, and one that it leaves out stays. `null` without such a key.
   */
  restrict(tenant: string, id: string, change: KeyRestrictions): Promise<ApiKey | null> {
    return this.#update(tenant, id, (record, save) => {
      if (record === undefined || apiKeyState(record, this.#runtime.now()) !== "active") {
        return null;
      }
      const next = withRestrictions(record, { ...record.restrictions, ...change });
      this.#record(save(next), "restrict", { before: record, after: next });
      return this.#toApiKey(next);
    });
  }

  /**
   * Adds a new secret under the same id; the old one stays valid for `overlapMs`, or ends at once at 0.
   * Rejected during an earlier overlap, because a key has at most two secrets.
   */
  async rotate(
    tenant: string,
    id: string,
    { overlapMs }: { overlapMs: number },
  ): Promise<RotationResult> {
    const { secret, entry } = await this.#newSecret();
    return await this.#update(tenant, id, (record, save): RotationResult => {
      const now = this.#runtime.now();
      if (record === undefined) return { rejected: "not_found" };
      if (apiKeyState(record, now) !== "active") return { rejected: "not_active" };
      const live = record.secrets.filter(({ expiresAt }) => (expiresAt ?? Infinity) > now);
      const until = live.find(({ expiresAt }) => expiresAt !== undefined)?.expiresAt;
      if (until !== undefined) return { rejected: "overlap", until: isoTime(until) };
      const old = overlapMs > 0 ? live.map((one) => ({ ...one, expiresAt: now + overlapMs })) : [];
      const next = { ...record, secrets: [...old, { ...entry, createdAt: now }] };
      this.#saveSecrets(save(next), { record, next });
      return { apiKey: this.#toApiKey(next), secret };
    });
  }

  /** Ends an overlap: the old secret becomes invalid now. `null` if there is no such key. */
  endOverlap(tenant: string, id: string): Promise<ApiKey | null> {
    return this.#update(tenant, id, (record, save) => {
      if (record === undefined) return null;
      const secrets = record.secrets.slice(-1);
      if (secrets.length === record.secrets.length) return this.#toApiKey(record);
      const next = { ...record, secrets };
      this.#saveSecrets(save(next), { record, next });
      return this.#toApiKey(next);
    });
  }

  /** The id of the tenant's key with a public prefix. */
  async findByPrefix(tenant: string, prefix: string): Promise<string | undefined> {
    const owner = await this.#findOwner(prefix);
    return owner?.tenant === tenant ? owner.id : undefined;
  }

  /**
   * The identity of a key, or `undefined` if `text` is malformed, unknown, wrong, expired or revoked. An
   * unknown prefix costs the same HMAC, and the same reads, as a wrong secret.
   */
  async verify(
    text: string,
    options: { reader?: KvReader; prefetch?: PrefetchKeys } = {},
  ): Promise<ApiKeyIdentity | undefined> {
    const reader: KvReader = options.reader ?? this.#kv;
    const parts = parseApiKey(text);
    if (parts === undefined) return undefined;
    // Before the first read, which throws if the reader's cache does not have the key.
    const isHashOf = await this.#signer.verifier(parts.secret);
    const owner = await this.#findOwner(parts.prefix, reader);
    const { tenant, id } = owner ?? { tenant: "none", id: parts.prefix };
    const key = keys.apiKey(tenant, id);
    await reader.preload?.(() => [key, ...options.prefetch?.({ tenant, id }) ?? []]);
    const record = parseRecord(apiKeyRecordSchema, await reader.get(key));
    const secret = record?.secrets.find((candidate) => candidate.prefix === parts.prefix);
    const isGenuine = isHashOf(secret?.hash ?? "");
    if (!isGenuine || record === undefined || secret === undefined) return undefined;
    const now = this.#runtime.now();
    const isValid = apiKeyState(record, now) === "active" && (secret.expiresAt ?? Infinity) > now;
    if (!isValid) return undefined;
    const { name, scopes, restrictions: { agents, addresses } = {} } = record;
    const restrictions = { ...agents && { agents }, ...addresses && { addresses } };
    return { id: record.id, tenant: record.tenant, name, scopes, ...restrictions };
  }

  /** A new key text, and the stored form of its secret. */
  async #newSecret(): Promise<{ secret: string; entry: ApiKeyRecord["secrets"][number] }> {
    const { key, prefix, secret } = newApiKey((n) => this.#runtime.randomBytes(n));
    const hash = await this.#signer.sign(secret);
    const createdAt = this.#runtime.now();
    return { secret: key, entry: { prefix, hash, signedBy: this.#signer.id, createdAt } };
  }

  #update<R>(
    tenant: string,
    id: string,
    change: RecordChange<typeof apiKeyRecordSchema, R>,
  ): Promise<R> {
    const key = keys.apiKey(tenant, id);
    return updateRecord(this.#kv, { key, schema: apiKeyRecordSchema, what: "API key" }, change);
  }

  /** Adds to `step` the look-ups of the secrets that were added and removed, and the audit entry. */
  #saveSecrets(
    step: Deno.AtomicOperation,
    { record, next }: { record: ApiKeyRecord; next: ApiKeyRecord },
  ): void {
    const { tenant, id } = record;
    const [old, now] = [record, next].map(({ secrets }) => secrets.map(({ prefix }) => prefix));
    for (const prefix of old!.filter((one) => !now!.includes(one))) {
      step.delete(keys.apiKeyByPrefix(prefix));
    }
    for (const prefix of now!.filter((one) => !old!.includes(one))) {
      const key = keys.apiKeyByPrefix(prefix);
      step.check({ key, versionstamp: null }).set(key, { tenant, id });
    }
    const action = now!.at(-1) === old!.at(-1) ? "end overlap" : "rotate";
    this.#record(step, action, { before: record, after: next });
  }

  #toApiKey(record: ApiKeyRecord, lastUse?: LastUse): ApiKey {
    return toApiKey(record, { now: this.#runtime.now(), lastUse });
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

  async #findOwner(prefix: string, reader: KvReader = this.#kv): Promise<KeyOwner | undefined> {
    const key = keys.apiKeyByPrefix(prefix);
    // A prefix never changes its owner, and the key's own record says whether it is still valid.
    const { value } = await (reader.peek<KeyOwner>?.(key) ?? reader.get<KeyOwner>(key));
    return value ?? undefined;
  }
}
