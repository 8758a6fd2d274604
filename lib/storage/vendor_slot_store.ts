import { z } from "zod";
import { PROTOCOLS, type VendorConfig } from "../config.ts";
import { type Sealer, UnsealError } from "../credentials/sealing.ts";
import { iso, type System } from "../system.ts";
import { type Vendor, VENDORS } from "../wire/vendors.ts";
import { INSTALLATION, recordChange } from "./audit_record.ts";
import { keys } from "./keys.ts";
import { parseRecord, untilCommitted } from "./record.ts";
import type { Resealing } from "./resealing.ts";

/** What the sealer of this store is made for. */
export const SLOTS_PURPOSE = "vendor credentials";

const slotRecordSchema = z.object({
  v: z.literal(1),
  protocol: z.enum(PROTOCOLS),
  baseUrl: z.string(),
  name: z.string().optional(),
  updatedAt: z.int(),
  sealed: z.instanceof(Uint8Array),
});
type SlotRecord = Omit<z.infer<typeof slotRecordSchema>, "sealed"> & { sealed: Uint8Array };

/** A slot as an operator sees it: never its credential. `updatedAt` is ISO 8601 UTC. */
export interface StoredSlot extends Omit<VendorConfig, "apiKey"> {
  vendor: Vendor;
  updatedAt: string;
}

/** What `open` found: usable slots, and those whose credential does not open any more. */
export interface OpenedSlots {
  slots: Partial<Record<Vendor, VendorConfig>>;
  unreadable: Vendor[];
}

/**
 * Vendor slots that an operator has set up in the dashboard. A credential goes to its vendor and to
 * nothing else: it is sealed together with the address it is for.
 */
export class VendorSlotStore {
  #kv: Deno.Kv;
  #system: System;
  #sealer: Sealer;

  /** The sealer is made for `SLOTS_PURPOSE`. */
  constructor(kv: Deno.Kv, options: { system: System; sealer: Sealer }) {
    this.#kv = kv;
    this.#system = options.system;
    this.#sealer = options.sealer;
  }

  async list(): Promise<StoredSlot[]> {
    const found = await this.#readAll();
    return found.map(([vendor, { protocol, baseUrl, name, updatedAt }]) => {
      return { vendor, protocol, baseUrl, name, updatedAt: iso(updatedAt) };
    });
  }

  /** All of them with their credentials, for the clients that use them. */
  async open(): Promise<OpenedSlots> {
    const opened: OpenedSlots = { slots: {}, unreadable: [] };
    for (const [vendor, record] of await this.#readAll()) {
      const apiKey = await this.#credential(vendor, record);
      const { protocol, baseUrl, name } = record;
      if (apiKey === undefined) opened.unreadable.push(vendor);
      else opened.slots[vendor] = { protocol, baseUrl, name, apiKey };
    }
    return opened;
  }

  /** Sets a slot up: every process uses it from its next run on. */
  async set(vendor: Vendor, config: VendorConfig): Promise<void> {
    const key = keys.vendorSlot(vendor);
    const { protocol, baseUrl, name } = config;
    const plain = new TextEncoder().encode(config.apiKey);
    const record: SlotRecord = {
      v: 1,
      protocol,
      baseUrl,
      ...(name === undefined ? {} : { name }),
      updatedAt: this.#system.now(),
      sealed: await this.#sealer.seal(plain, contextOf(vendor, baseUrl)),
    };
    await untilCommitted(async () => {
      const entry = await this.#kv.get(key);
      const before = parseRecord(slotRecordSchema, entry);
      const step = this.#kv.atomic().check(entry).set(key, record);
      this.#record(step, vendor, { before, after: record });
      return (await step.commit()).ok || undefined;
    }, { what: "vendor slot" });
  }

  /** Empties a slot; false when it was. */
  async remove(vendor: Vendor): Promise<boolean> {
    const entry = await this.#kv.get(keys.vendorSlot(vendor));
    const before = parseRecord(slotRecordSchema, entry);
    if (before === undefined) return false;
    const step = this.#kv.atomic().check(entry).delete(entry.key);
    this.#record(step, vendor, { before });
    return (await step.commit()).ok || await this.remove(vendor);
  }

  async #readAll(): Promise<[Vendor, SlotRecord][]> {
    const entries = await this.#kv.getMany(VENDORS.map((vendor) => keys.vendorSlot(vendor)));
    return entries.flatMap((entry, n): [Vendor, SlotRecord][] => {
      const record = parseRecord(slotRecordSchema, entry);
      return record === undefined ? [] : [[VENDORS[n]!, record]];
    });
  }

  /** `undefined` when the encryption key has been changed, or somebody moved the record's address. */
  async #credential(vendor: Vendor, record: SlotRecord): Promise<string | undefined> {
    try {
      const plain = await this.#sealer.open(record.sealed, contextOf(vendor, record.baseUrl));
      return new TextDecoder().decode(plain);
    } catch (error) {
      if (error instanceof UnsealError) return undefined;
      throw error;
    }
  }

  #record(
    step: Deno.AtomicOperation,
    vendor: Vendor,
    { before, after }: { before?: SlotRecord | undefined; after?: SlotRecord },
  ): void {
    const action = after === undefined ? "delete" : before === undefined ? "create" : "change";
    // The version of the catalogue is what every process looks at before a run.
    recordChange(step.set(keys.catalogueVersion(), 1), this.#system, {
      tenant: INSTALLATION,
      kind: "slot",
      action,
      target: { id: vendor, name: vendor },
      before: before && recordedFields(before),
      after: after && recordedFields(after),
    });
  }
}

/** Encrypts the credentials of all slots anew. */
export function resealSlots(sealer: Sealer): Resealing {
  return {
    kind: "vendor credentials",
    prefix: keys.vendorSlots(),
    async *reseal(entry) {
      const record = parseRecord(slotRecordSchema, entry)!;
      const context = [...entry.key.map(String), record.baseUrl];
      const sealed = await sealer.reseal(record.sealed, context);
      if (sealed === undefined) return;
      yield { entry, write: (step) => step.set(entry.key, { ...record, sealed }) };
    },
  };
}

function recordedFields({ protocol, baseUrl, name, updatedAt }: SlotRecord) {
  return { protocol, baseUrl, name, credential: `set ${iso(updatedAt)}` };
}

function contextOf(vendor: Vendor, baseUrl: string): string[] {
  return [...keys.vendorSlot(vendor), baseUrl];
}
