import { z } from "zod";
import { type ConnectionConfig, PROTOCOLS } from "../../schemas/connection_config.ts";
import { type Sealer, UnsealError } from "../../platform/crypto/sealing.ts";
import { isoTime, type Runtime } from "../../platform/runtime.ts";
import { PROVIDER_IDS, type ProviderId } from "../../schemas/provider_id.ts";
import { INSTALLATION, recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";
import type { ResealTask } from "../encryption/reseal_task.ts";

/** What the sealer of this store is made for. */
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

/** A slot as an operator sees it: never its credential. `updatedAt` is ISO 8601 UTC. */
export interface StoredConnection extends Omit<ConnectionConfig, "apiKey"> {
  vendor: ProviderId;
  updatedAt: string;
}

/** What `open` found: usable slots, and those whose credential does not open any more. */
export interface UnsealedConnections {
  connections: Partial<Record<ProviderId, ConnectionConfig>>;
  unreadable: ProviderId[];
}

/**
 * Vendor slots that an operator has set up in the dashboard. A credential goes to its vendor and to
 * nothing else: it is sealed together with the address it is for.
 */
export class ConnectionStore {
  #kv: Deno.Kv;
  #runtime: Runtime;
  #sealer: Sealer;

  /** The sealer is made for `CONNECTIONS_PURPOSE`. */
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

  /** All of them with their credentials, for the clients that use them. */
  async unsealAll(): Promise<UnsealedConnections> {
    const opened: UnsealedConnections = { connections: {}, unreadable: [] };
    for (const [vendor, record] of await this.#readAll()) {
      const apiKey = await this.#unsealCredential(vendor, record);
      const { protocol, baseUrl, name } = record;
      if (apiKey === undefined) opened.unreadable.push(vendor);
      else opened.connections[vendor] = { protocol, baseUrl, name, apiKey };
    }
    return opened;
  }

  /** Sets a slot up: every process uses it from its next run on. */
  async set(vendor: ProviderId, config: ConnectionConfig): Promise<void> {
    const key = keys.providerConnection(vendor);
    const { protocol, baseUrl, name } = config;
    const plain = new TextEncoder().encode(config.apiKey);
    const record: ConnectionRecord = {
      v: 1,
      protocol,
      baseUrl,
      ...(name === undefined ? {} : { name }),
      updatedAt: this.#runtime.now(),
      sealed: await this.#sealer.seal(plain, sealContext(vendor, baseUrl)),
    };
    await retryUntilCommitted(async () => {
      const entry = await this.#kv.get(key);
      const before = parseRecord(connectionRecordSchema, entry);
      const step = this.#kv.atomic().check(entry).set(key, record);
      this.#record(step, vendor, { before, after: record });
      return (await step.commit()).ok || undefined;
    }, { what: "vendor slot" });
  }

  /** Empties a slot; false when it was. */
  async remove(vendor: ProviderId): Promise<boolean> {
    const entry = await this.#kv.get(keys.providerConnection(vendor));
    const before = parseRecord(connectionRecordSchema, entry);
    if (before === undefined) return false;
    const step = this.#kv.atomic().check(entry).delete(entry.key);
    this.#record(step, vendor, { before });
    return (await step.commit()).ok || await this.remove(vendor);
  }

  async #readAll(): Promise<[ProviderId, ConnectionRecord][]> {
    const entries = await this.#kv.getMany(
      PROVIDER_IDS.map((vendor) => keys.providerConnection(vendor)),
    );
    return entries.flatMap((entry, n): [ProviderId, ConnectionRecord][] => {
      const record = parseRecord(connectionRecordSchema, entry);
      return record === undefined ? [] : [[PROVIDER_IDS[n]!, record]];
    });
  }

  /** `undefined` when the encryption key has been changed, or somebody moved the record's address. */
  async #unsealCredential(
    vendor: ProviderId,
    record: ConnectionRecord,
  ): Promise<string | undefined> {
    try {
      const plain = await this.#sealer.unseal(record.sealed, sealContext(vendor, record.baseUrl));
      return new TextDecoder().decode(plain);
    } catch (error) {
      if (error instanceof UnsealError) return undefined;
      throw error;
    }
  }

  #record(
    step: Deno.AtomicOperation,
    vendor: ProviderId,
    { before, after }: { before?: ConnectionRecord | undefined; after?: ConnectionRecord },
  ): void {
    const action = after === undefined ? "delete" : before === undefined ? "create" : "change";
    // The version of the catalogue is what every process looks at before a run.
    recordChange(step.set(keys.catalogueVersion(), 1), this.#runtime, {
      tenant: INSTALLATION,
      kind: "slot",
      action,
      target: { id: vendor, name: vendor },
      before: before && auditedFields(before),
      after: after && auditedFields(after),
    });
  }
}

/** Encrypts the credentials of all slots anew. */
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

function auditedFields({ protocol, baseUrl, name, updatedAt }: ConnectionRecord) {
  return { protocol, baseUrl, name, credential: `set ${isoTime(updatedAt)}` };
}

function sealContext(vendor: ProviderId, baseUrl: string): string[] {
  return [...keys.providerConnection(vendor), baseUrl];
}
