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
import { keys } from "../keys/keys.ts";
import { type CommitStep, commitStep, parseRecord, retryUntilCommitted } from "../values/record.ts";
import type { ResealTask } from "../encryption/reseal_task.ts";

/** What the sealer of this store is made for. */
export const SECRETS_PURPOSE = "tool secrets";

/** Values that a process keeps open: a tool that is called time and again decrypts once. */
const MAX_CACHED = 500;

const recordSchema = z.object({
  v: z.literal(1),
  domains: z.array(z.string()),
  agentId: z.uuid().optional(),
  /** Milliseconds. */
  updatedAt: z.int(),
  sealed: z.instanceof(Uint8Array),
});

/** Where a secret may go, and on whose behalf; sealed with its value. */
type Binding = Pick<NewToolSecret, "domains" | "agentId">;

/** A secret for use: its value, the (normalised) domains it may be sent to, and by which agent. */
export interface UnsealedSecret {
  value: string;
  domains: readonly string[];
  /** Any agent of the tenant, when it is left out. */
  agentId?: string;
}

/**
 * Secrets of tenants for their agents' tools. Write-only: the value goes to a tool's request and to
 * nothing else, so that whoever may set one still cannot read one.
 */
export class SecretStore {
  #kv: Deno.Kv;
  #runtime: Runtime;
  #sealer: Sealer;
  #cache = new LRUCache<string, UnsealedSecret>({ max: MAX_CACHED });

  /** The sealer is made for `SECRETS_PURPOSE`. */
  constructor(kv: Deno.Kv, options: { runtime: Runtime; sealer: Sealer }) {
    this.#kv = kv;
    this.#runtime = options.runtime;
    this.#sealer = options.sealer;
  }

  /** Sets a secret, in place of one of the same name; `commit` may add to the step. */
  async set(
    tenant: string,
    { name, value, domains, agentId }: NewToolSecret,
    options: { commit?: CommitStep<ToolSecretInfo> | undefined } = {},
  ): Promise<ToolSecretInfo> {
    if (value.length < MIN_SECRET_LENGTH) throw new RangeError(`the secret ${name} is too short`);
    const key = keys.toolSecret(tenant, name);
    const binding: Binding = { domains, ...agentId !== undefined && { agentId } };
    const sealed = await this.#sealer.seal(encoder.encode(value), sealContext(key, binding));
    const record = { v: 1, ...binding, updatedAt: this.#runtime.now(), sealed };
    const info = toInfo(name, record);
    const setting = async (): Promise<ToolSecretInfo | undefined> => {
      const entry = await this.#kv.get(key);
      const before = parseRecord(recordSchema, entry);
      const change = this.#kv.atomic().check(entry).set(key, record);
      recordChange(change, this.#runtime, {
        tenant,
        kind: "secret",
        action: before === undefined ? "create" : "replace",
        target: { id: name, name },
        before: before && toBinding(before),
        after: binding,
      });
      return await (options.commit ?? commitStep)(change, info) ? info : undefined;
    };
    return await retryUntilCommitted(setting, { what: "secret" });
  }

  /** All of a tenant by name, without their values. */
  async list(tenant: string): Promise<ToolSecretInfo[]> {
    const found: ToolSecretInfo[] = [];
    for await (const entry of this.#kv.list({ prefix: keys.toolSecrets(tenant) })) {
      const record = parseRecord(recordSchema, entry);
      if (record) found.push(toInfo(String(entry.key.at(-1)), record));
    }
    return found;
  }

  /** What was deleted; nothing when there is no such secret. */
  async delete(
    tenant: string,
    name: string,
    options: { commit?: CommitStep<ToolSecretInfo> | undefined } = {},
  ): Promise<ToolSecretInfo | undefined> {
    const entry = await this.#kv.get(keys.toolSecret(tenant, name));
    const record = parseRecord(recordSchema, entry);
    if (record === undefined) return undefined;
    const info = toInfo(name, record);
    const deletion = this.#kv.atomic().check(entry).delete(entry.key);
    recordChange(deletion, this.#runtime, {
      tenant,
      kind: "secret",
      action: "delete",
      target: { id: name, name },
      before: toBinding(record),
    });
    const made = await (options.commit ?? commitStep)(deletion, info);
    // Replaced or deleted in between: it is looked at again, so that what is told is what was done.
    return made ? info : await this.delete(tenant, name, options);
  }

  /** The one agent that may use a secret; `undefined` for one of any agent, or of no such name. */
  async agentOf(tenant: string, name: string): Promise<string | undefined> {
    return parseRecord(recordSchema, await this.#kv.get(keys.toolSecret(tenant, name)))?.agentId;
  }

  /**
   * A secret for a tool's call, as it is now. Throws `UnsealError` when the encryption key has been
   * changed, or the record was: the domains and the agent are sealed with the value.
   */
  async find(tenant: string, name: string): Promise<UnsealedSecret | undefined> {
    const key = keys.toolSecret(tenant, name);
    const entry = await this.#kv.get(key);
    const record = parseRecord(recordSchema, entry);
    if (record === undefined) return undefined;
    const version = JSON.stringify([...key, entry.versionstamp]);
    const known = this.#cache.get(version);
    if (known !== undefined) return known;
    const binding = toBinding(record);
    const plain = await this.#sealer.unseal(record.sealed, sealContext(key, binding));
    const value = new TextDecoder("utf-8", { ignoreBOM: true }).decode(plain);
    const opened = { value, ...binding };
    this.#cache.set(version, opened);
    return opened;
  }
}

/** Encrypts all tenants' secrets anew. */
export function resealSecrets(sealer: Sealer): ResealTask {
  return {
    kind: "tool secrets",
    prefix: keys.allToolSecrets(),
    async *reseal(entry) {
      const record = parseRecord(recordSchema, entry)!;
      const key = entry.key.map(String);
      const sealed = await sealer.reseal(record.sealed, sealContext(key, record));
      if (sealed === undefined) return;
      yield { entry, write: (step) => step.set(entry.key, { ...record, sealed }) };
    },
  };
}

const encoder = new TextEncoder();

/** Whoever can write to the store must not be able to send a value elsewhere, or lend it to others. */
function sealContext(key: readonly string[], { domains, agentId }: Binding): SealContext {
  // In front: behind the domains, the agent could be taken off by writing it down as one of them.
  return [...agentId === undefined ? [] : [`agent ${agentId}`], ...key, ...domains];
}

/** A record has `undefined` where a field is left out. */
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
