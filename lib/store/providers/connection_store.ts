import { z } from "zod";
import { type Sealer, UnsealError } from "../../platform/crypto/sealing.ts";
import { isoTime, type Runtime } from "../../platform/runtime.ts";
import { type ConnectionConfig, PROTOCOLS } from "../../schemas/connection_config.ts";
import { PROVIDER_IDS, type ProviderId } from "../../schemas/provider_id.ts";
import { INSTALLATION, recordChange } from "../audit/audit_record.ts";
import type { ResealTask } from "../encryption/reseal_task.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, updateRecord } from "../values/record.ts";

/** The purpose of the sealer of provider credentials. */
export const CONNECTIONS_PURPOSE = "vendor credentials";

const connectionRecordSchema = z.object({
  v: z.literal(1),
  protocol: z.enum(PROTOCOLS),
  baseUrl: z.string(),
  name: z.string().optional(),
  updatedAt: z.int(),
  sealed: z.instanceof(Uint8Array),
});
type ConnectionRecord = Omit<z.infer<typeof connectionRecordSchema>, "sealed"> & {
  sealed: Uint8Array;
};

/** A connection without its credential. `updatedAt` is ISO 8601 UTC. */
export interface StoredConnection extends Omit<ConnectionConfig, "apiKey"> {
  vendor: ProviderId;
  updatedAt: string;
}

/** The usable connections, and those whose credential cannot be unsealed. */
export interface UnsealedConnections {
  connections: Partial<Record<ProviderId, ConnectionConfig>>;
  unreadable: ProviderId[];
}

/**
 * Provider connections set up in the dashboard. A credential is sealed together with the address it is
 * for, so that it cannot be sent elsewhere.
 */
export class ConnectionStore {
  #kv: Deno.Kv;
  #runtime: Runtime;
  #sealer: Sealer;

  /** The sealer's purpose is `CONNECTIONS_PURPOSE`. */
  constructor(kv: Deno.Kv, options: { runtime: Runtime; sealer: Sealer }) {
    this.#kv = kv;
    this.#runtime = options.runtime;
    this.#sealer = options.sealer;
  }

  async list(): Promise<StoredConnection[]> {
    const found = await this.#readAll();
    return found.map(([vendor, { protocol, baseUrl, name, updatedAt }]) => {
      return { vendor, protocol, baseUrl, name, updatedAt: isoTime(updatedAt) };
    });
  }

  /** All connections with their credentials. */
  async unsealAll(): Promise<UnsealedConnections> {
    const unsealed: UnsealedConnections = { connections: {}, unreadable: [] };
    for (const [provider, record] of await this.#readAll()) {
      const apiKey = await this.#unsealCredential(provider, record);
      const { protocol, baseUrl, name } = record;
      if (apiKey === undefined) unsealed.unreadable.push(provider);
      else unsealed.connections[provider] = { protocol, baseUrl, name, apiKey };
    }
    return unsealed;
  }

  /** Sets up a connection: every process uses it from its next run on. */
  async set(provider: ProviderId, config: ConnectionConfig): Promise<void> {
    const { protocol, baseUrl, name } = config;
    const plain = new TextEncoder().encode(config.apiKey);
    const record: ConnectionRecord = {
      v: 1,
      protocol,
      baseUrl,
      ...(name === undefined ? {} : { name }),
      updatedAt: this.#runtime.now(),
      sealed: await this.#sealer.seal(plain, sealContext(provider, baseUrl)),
    };
    await updateRecord(this.#kv, locationOf(provider), (before, save) => {
      this.#record(save(record), provider, { before, after: record });
    });
  }

  /** Deletes a connection; false if there was none. */
  remove(provider: ProviderId): Promise<boolean> {
    return updateRecord(this.#kv, locationOf(provider), (before, save) => {
      if (before === undefined) return false;
      this.#record(save(undefined), provider, { before });
      return true;
    });
  }

  async #readAll(): Promise<[ProviderId, ConnectionRecord][]> {
    const entries = await this.#kv.getMany(PROVIDER_IDS.map((id) => keys.providerConnection(id)));
    return entries.flatMap((entry, n): [ProviderId, ConnectionRecord][] => {
      const record = parseRecord(connectionRecordSchema, entry);
      return record === undefined ? [] : [[PROVIDER_IDS[n]!, record]];
    });
  }

  /** `undefined` if the encryption key or the address in the record was changed. */
  async #unsealCredential(
    provider: ProviderId,
    record: ConnectionRecord,
  ): Promise<string | undefined> {
    try {
      const plain = await this.#sealer.unseal(record.sealed, sealContext(provider, record.baseUrl));
      return new TextDecoder().decode(plain);
    } catch (error) {
      if (error instanceof UnsealError) return undefined;
      throw error;
    }
  }

  #record(
    step: Deno.AtomicOperation,
    provider: ProviderId,
    { before, after }: { before?: ConnectionRecord | undefined; after?: ConnectionRecord },
  ): void {
    const action = after === undefined ? "delete" : before === undefined ? "create" : "change";
    // Every process compares the version of the catalogue before a run.
    recordChange(step.set(keys.catalogueVersion(), 1), this.#runtime, {
      tenant: INSTALLATION,
      kind: "slot",
      action,
      target: { id: provider, name: provider },
      before: before && auditedFields(before),
      after: after && auditedFields(after),
    });
  }
}

export function resealConnections(sealer: Sealer): ResealTask {
  return {
    kind: "vendor credentials",
    prefix: keys.providerConnections(),
    async *reseal(entry) {
      const record = parseRecord(connectionRecordSchema, entry)!;
      const context = [...entry.key.map(String), record.baseUrl];
      const sealed = await sealer.reseal(record.sealed, context);
      if (sealed === undefined) return;
      yield { entry, write: (step) => step.set(entry.key, { ...record, sealed }) };
    },
  };
}

function locationOf(provider: ProviderId) {
  const key = keys.providerConnection(provider);
  return { key, schema: connectionRecordSchema, what: "provider connection" };
}

function auditedFields({ protocol, baseUrl, name, updatedAt }: ConnectionRecord) {
  return { protocol, baseUrl, name, credential: `set ${isoTime(updatedAt)}` };
}

function sealContext(provider: ProviderId, baseUrl: string): string[] {
  return [...keys.providerConnection(provider), baseUrl];
}
