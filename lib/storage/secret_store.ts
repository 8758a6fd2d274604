import { z } from "zod";
import type { SealContext, Sealer } from "../credentials/sealing.ts";
import { iso, type System } from "../system.ts";
import { MIN_SECRET_LENGTH, type NewToolSecret, type ToolSecretInfo } from "../wire/tool_secret.ts";
import { recordChange } from "./audit_record.ts";
import { keys } from "./keys.ts";
import { type Commit, commitRecord, parseRecord, untilCommitted } from "./record.ts";
import type { Resealing } from "./resealing.ts";

/** What the sealer of this store is made for. */
export const SECRETS_PURPOSE = "tool secrets";

/** Values that a process keeps open: a tool that is called time and again decrypts once. */
const MAX_OPEN = 500;

const recordSchema = z.object({
  v: z.literal(1),
  domains: z.array(z.string()),
  /** Milliseconds. */
  updatedAt: z.int(),
  sealed: z.instanceof(Uint8Array),
});

/** A secret for use: its value, and the (normalised) domains it may be sent to. */
export interface OpenedSecret {
  value: string;
  domains: readonly string[];
}

/**
 * Secrets of tenants for their agents' tools. Write-only: the value goes to a tool's request and to
 * nothing else, so that whoever may set one still cannot read one.
 */
export class SecretStore {
  #kv: Deno.Kv;
  #system: System;
  #sealer: Sealer;
  #opened = new Map<string, OpenedSecret>();

  /** The sealer is made for `SECRETS_PURPOSE`. */
  constructor(kv: Deno.Kv, options: { system: System; sealer: Sealer }) {
    this.#kv = kv;
    this.#system = options.system;
    this.#sealer = options.sealer;
  }

  /** Sets a secret, in place of one of the same name; `commit` may add to the step. */
  async set(
    tenant: string,
    { name, value, domains }: NewToolSecret,
    options: { commit?: Commit<ToolSecretInfo> | undefined } = {},
  ): Promise<ToolSecretInfo> {
    if (value.length < MIN_SECRET_LENGTH) throw new RangeError(`the secret ${name} is too short`);
    const key = keys.toolSecret(tenant, name);
    const sealed = await this.#sealer.seal(encoder.encode(value), contextOf(key, domains));
    const record = { v: 1, domains, updatedAt: this.#system.now(), sealed };
    const info = toInfo(name, record);
    const setting = async (): Promise<ToolSecretInfo | undefined> => {
      const entry = await this.#kv.get(key);
      const before = parseRecord(recordSchema, entry);
      const change = this.#kv.atomic().check(entry).set(key, record);
      recordChange(change, this.#system, {
        tenant,
        kind: "secret",
        action: before === undefined ? "create" : "replace",
        target: { id: name, name },
        before: before && { domains: before.domains },
        after: { domains },
      });
      return await (options.commit ?? commitRecord)(change, info) ? info : undefined;
    };
    return await untilCommitted(setting, { what: "secret" });
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
    options: { commit?: Commit<ToolSecretInfo> | undefined } = {},
  ): Promise<ToolSecretInfo | undefined> {
    const entry = await this.#kv.get(keys.toolSecret(tenant, name));
    const record = parseRecord(recordSchema, entry);
    if (record === undefined) return undefined;
    const info = toInfo(name, record);
    const deletion = this.#kv.atomic().check(entry).delete(entry.key);
    recordChange(deletion, this.#system, {
      tenant,
      kind: "secret",
      action: "delete",
      target: { id: name, name },
      before: { domains: record.domains },
    });
    const made = await (options.commit ?? commitRecord)(deletion, info);
    // Replaced or deleted in between: it is looked at again, so that what is told is what was done.
    return made ? info : await this.delete(tenant, name, options);
  }

  /**
   * A secret for a tool's call, as it is now. Throws `UnsealError` when the encryption key has been
   * changed, or the record was: the domains are sealed with the value.
   */
  async find(tenant: string, name: string): Promise<OpenedSecret | undefined> {
    const key = keys.toolSecret(tenant, name);
    const entry = await this.#kv.get(key);
    const record = parseRecord(recordSchema, entry);
    if (record === undefined) return undefined;
    const version = JSON.stringify([...key, entry.versionstamp]);
    const known = this.#opened.get(version);
    if (known !== undefined) return known;
    const { domains, sealed } = record;
    const plain = await this.#sealer.open(sealed, contextOf(key, domains));
    const opened = { value: new TextDecoder("utf-8", { ignoreBOM: true }).decode(plain), domains };
    if (this.#opened.size >= MAX_OPEN) this.#opened.clear();
    this.#opened.set(version, opened);
    return opened;
  }
}

/** Encrypts all tenants' secrets anew. */
export function resealSecrets(sealer: Sealer): Resealing {
  return {
    kind: "tool secrets",
    prefix: keys.allToolSecrets(),
    async *reseal(entry) {
      const record = parseRecord(recordSchema, entry)!;
      const key = entry.key.map(String);
      const sealed = await sealer.reseal(record.sealed, contextOf(key, record.domains));
      if (sealed === undefined) return;
      yield { entry, write: (step) => step.set(entry.key, { ...record, sealed }) };
    },
  };
}

const encoder = new TextEncoder();

/** Whoever can write to the store must not be able to send a value elsewhere. */
function contextOf(key: readonly string[], domains: readonly string[]): SealContext {
  return [...key, ...domains];
}

function toInfo(
  name: string,
  { domains, updatedAt }: { domains: string[]; updatedAt: number },
): ToolSecretInfo {
  return { name, domains, updatedAt: iso(updatedAt) };
}
