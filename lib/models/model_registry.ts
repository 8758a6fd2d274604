import type { VendorConfig } from "../config.ts";
import type { Protocol as ProtocolName } from "../config_fields.ts";
import type { System } from "../system.ts";
import { DEMO_MODEL, type Vendor, VENDORS } from "../wire/vendors.ts";
import { anthropicProtocol } from "./anthropic/anthropic_protocol.ts";
import { DemoModel } from "./demo_model.ts";
import { googleProtocol } from "./google/google_protocol.ts";
import { type Model, ModelError } from "./model.ts";
import { openaiProtocol } from "./openai/openai_protocol.ts";
import type { Protocol } from "./protocol.ts";
import { VendorModel, type VendorTimeouts } from "./vendor_model.ts";
import type { VendorReport } from "./vendor_report.ts";

export interface ModelRegistryOptions {
  vendors?: Readonly<Partial<Record<Vendor, VendorConfig>>>;
  /** Told of each failure of a vendor. */
  report?: (event: VendorReport) => void;
  timeouts?: Partial<VendorTimeouts>;
}

/** Finds the client for a model: the embedded one, or that of the slot's vendor. */
export class ModelRegistry {
  readonly #demo: Model;
  readonly #slots = new Map<Vendor, VendorModel>();

  constructor(system: System, options: ModelRegistryOptions = {}) {
    const { vendors = {}, report = () => {}, timeouts } = options;
    this.#demo = new DemoModel(system);
    for (const vendor of VENDORS) {
      const slot = vendors[vendor];
      if (slot === undefined) continue;
      const { baseUrl, apiKey } = slot;
      const protocol = PROTOCOLS[slot.protocol](baseUrl);
      const client = { vendor, protocol, baseUrl, apiKey, system, report, timeouts };
      this.#slots.set(vendor, new VendorModel(client));
    }
  }

  /** Always a client; one for a slot without a vendor refuses every request. */
  find(vendor: Vendor, model: string): Model {
    if (model === DEMO_MODEL) return this.#demo;
    return this.#slots.get(vendor) ?? unconfigured(vendor);
  }

  /** Closes every vendor's connections. */
  close(): void {
    for (const slot of this.#slots.values()) slot.close();
  }
}

const PROTOCOLS: Readonly<Record<ProtocolName, (baseUrl: string) => Protocol>> = {
  openai: openaiProtocol,
  anthropic: anthropicProtocol,
  google: googleProtocol,
};

function unconfigured(vendor: Vendor): Model {
  const message = `no vendor is configured for ${vendor}`;
  return { stream: () => Promise.reject(new ModelError("provider_error", message)) };
}
