import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { SealContext, Sealer } from "../../platform/crypto/sealing.ts";
import { isoTime, type Runtime } from "../../platform/runtime.ts";
import {
  MIN_SECRET_LENGTH,
  type NewToolSecret,
  type ToolSecretInfo,
} from "../../schemas/tool_secret.ts";
import { recordChange } from "../audit/audit_record.ts";
import type { ResealTask } from "../encryption/reseal_task.ts";
import { keys } from "../keys/keys.ts";
import { countKeys } from "../shared/count_keys.ts";
import { takeTurns } from "../shared/take_turns.ts";
import { requireQuotaFor } from "../tenants/counted_quota.ts";
import { type CommitStep, commitStep, parseRecord, retryUntilCommitted } from "../values/record.ts";

/** The purpose of the sealer of tool secrets. */
export const SECRETS_PURPOSE = "tool secrets";

/** Unsealed values that a process caches, because tools are called repeatedly. */
const MAX_CACHED = 500;

const recordSchema = z.object({
  v: z.literal(1),
  domains: z.array(z.string()),
  agentId: z.uuid().optional(),
  /** Milliseconds. */
  updatedAt: z.int(),
  sealed: z.instanceof(Uint8Array),
});

/** Where a secret may be sent, and by which agent; sealed with its value. */
type Binding = Pick<NewToolSecret, "domains" | "agentId">;

/** A secret for use: its value, the (normalized) domains it may be sent to, and by which agent. */
export interface UnsealedSecret {
  value: string;
  domains: readonly string[];
  /** Any agent of the tenant if absent. */
  agentId?: string;
}

/**
 * Secrets of tenants for their agents' tools. Write-only: the value goes to a tool's request and nowhere
 * else, so that a user who may set a secret still cannot read one.
 */
export class SecretStore {
  #kv: Deno.Kv;
  #runtime: Runtime;
  #sealer: Sealer;
  #cache = new LRUCache<string, UnsealedSecret>({ max: MAX_CACHED });

  /** The sealer's purpose is `SECRETS_PURPOSE`. */
  constructor(kv: Deno.Kv, options: { runtime: Runtime; sealer: Sealer }) {
    this.#kv = kv;
    this.#runtime = options.runtime;
    this.#sealer = options.sealer;
  }

  /**
   * Creates a secret or replaces the one of the same name; `commit` may add to the step. Throws `ApiError`
   * 403 for a new one beyond the plan's secrets.
   */
  async set(
    tenant: string,
    { name, value, domains, agentId }: NewToolSecret,
    options: { commit?: CommitStep<ToolSecretInfo> | undefined } = {},
  ): Promise<ToolSecretInfo> {
    if (value.length < MIN_SECRET_LENGTH) throw new RangeError(`the secret ${name} is too short`);
    const key = keys.toolSecret(tenant, name);
    const binding = toBinding({ domains, agentId });
    const sealed = await this.#sealer.seal(encoder.encode(value), sealContext(key, binding));
    const record = { v: 1, ...binding, updatedAt: this.#runtime.now(), sealed };
    const info = toInfo(name, record);
    const count = () => countKeys(this.#kv, keys.toolSecrets(tenant));
    const attempt = async () => {
      const entry = await this.#kv.get(key);
      const before = parseRecord(recordSchema, entry);
      const admit = before === undefined
        ? await requireQuotaFor(this.#kv, { tenant, quota: "toolSecrets", count })
        : undefined;
      const step = this.#kv.atomic().check(entry).set(key, record);
      admit?.(step);
      recordChange(step, this.#runtime, {
        tenant,
        kind: "secret",
        action: before === undefined ? "create" : "replace",
        target: { id: name, name },
        before: before && toBinding(before),
        after: binding,
      });
      return await (options.commit ?? commitStep)(step, info) ? info : undefined;
    };
    return await takeTurns(
      this.#kv,
      `secrets ${tenant}`,
      () => retryUntilCommitted(attempt, { what: "secret" }),
    );
  }

  /** All secrets of a tenant by name, without their values. */
  async list(tenant: string): Promise<ToolSecretInfo[]> {
    const rows = this.#kv.list({ prefix: keys.toolSecrets(tenant) });
    return await Array.fromAsync(rows, (entry) => {
      return toInfo(String(entry.key.at(-1)), parseRecord(recordSchema, entry)!);
    });
  }

  /** Deletes a secret and returns it; `undefined` if there is none. */
  async delete(
    tenant: string,
    name: string,
    options: { commit?: CommitStep<ToolSecretInfo> | undefined } = {},
  ): Promise<ToolSecretInfo | undefined> {
    const entry = await this.#kv.get(keys.toolSecret(tenant, name));
    const record = parseRecord(recordSchema, entry);
    if (record === undefined) return undefined;
    const info = toInfo(name, record);
    const step = this.#kv.atomic().check(entry).delete(entry.key);
    recordChange(step, this.#runtime, {
      tenant,
      kind: "secret",
      action: "delete",
      target: { id: name, name },
      before: toBinding(record),
    });
    const deleted = await (options.commit ?? commitStep)(step, info);
    // Replaced or deleted in between: try again, so that the result is what was deleted.
    return deleted ? info : await this.delete(tenant, name, options);
  }

  /** The only agent that may use a secret; `undefined` if any agent may, or if there is no such secret. */
  async agentOf(tenant: string, name: string): Promise<string | undefined> {
    return parseRecord(recordSchema, await this.#kv.get(keys.toolSecret(tenant, name)))?.agentId;
  }

  /**
   * A secret for a tool call, as it is now. Throws `UnsealError` if the encryption key or the record was
   * changed: the domains and the agent are sealed with the value.
   */
  async find(tenant: string, name: string): Promise<UnsealedSecret | undefined> {
    const key = keys.toolSecret(tenant, name);
    const entry = await this.#kv.get(key);
    const record = parseRecord(recordSchema, entry);
    if (record === undefined) return undefined;
    const version = JSON.stringify([...key, entry.versionstamp]);
    const cached = this.#cache.get(version);
    if (cached !== undefined) return cached;
    const binding = toBinding(record);
    const plain = await this.#sealer.unseal(record.sealed, sealContext(key, binding));
    const value = new TextDecoder("utf-8", { ignoreBOM: true }).decode(plain);
    const unsealed = { value, ...binding };
    this.#cache.set(version, unsealed);
    return unsealed;
  }
}

export function resealSecrets(sealer: Sealer): ResealTask {
  return {
    kind: "tool secrets",
    prefix: keys.allToolSecrets(),
    async *reseal(entry) {
      const record = parseRecord(recordSchema, entry)!;
      const sealed = await sealer.reseal(record.sealed, sealContext(entry.key.map(String), record));
      if (sealed === undefined) return;
      yield { entry, write: (step) => step.set(entry.key, { ...record, sealed }) };
    },
  };
}

const encoder = new TextEncoder();

/** Prevents an attacker with write access to the store from redirecting a value or lending it out. */
function sealContext(key: readonly string[], { domains, agentId }: Binding): SealContext {
  // In front: after the domains, the agent could be removed by listing it as one of them.
  return [...agentId === undefined ? [] : [`agent ${agentId}`], ...key, ...domains];
}

/** Omits `agentId` where it is `undefined`. */
function toBinding(
  { domains, agentId }: { domains: string[]; agentId?: string | undefined },
): Binding & { agentId?: string } {
  return { domains, ...agentId !== undefined && { agentId } };
}

function toInfo(
  name: string,
  record: { domains: string[]; agentId?: string | undefined; updatedAt: number },
): ToolSecretInfo {
  return { name, ...toBinding(record), updatedAt: isoTime(record.updatedAt) };
}
