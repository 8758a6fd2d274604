import type { VendorConfig } from "../config.ts";
import type { Protocol as ProtocolName } from "../config_fields.ts";
import type { System } from "../system.ts";
import { DEMO_MODEL, type Vendor, VENDORS } from "../wire/vendors.ts";
import { anthropicProtocol } from "./anthropic/anthropic_protocol.ts";
import { DemoModel } from "./demo_model.ts";
import { googleProtocol } from "./google/google_protocol.ts";
import { Embedder } from "./embeddings/embedder.ts";
import type { EmbeddingProtocol } from "./embeddings/embedding_protocol.ts";
import { googleEmbeddings } from "./embeddings/google_embeddings.ts";
import { openaiEmbeddings } from "./embeddings/openai_embeddings.ts";
import { type Model, ModelError } from "./model.ts";
import { openaiProtocol } from "./openai/openai_protocol.ts";
import type { Protocol } from "./protocol.ts";
import { VendorModel } from "./vendor_model.ts";
import type { VendorReport } from "./vendor_report.ts";
import type { VendorTimeouts } from "./vendor_timeouts.ts";

export interface ModelRegistryOptions {
  vendors?: Readonly<Partial<Record<Vendor, VendorConfig>>>;
  /** Told of each failure of a vendor. */
  report?: (event: VendorReport) => void;
  timeouts?: Partial<VendorTimeouts>;
}

/** Finds the client for a model: the embedded one, or that of the slot's vendor. */
export class ModelRegistry {
  /** The embedding model of the first slot that has one. */
  readonly embedder: Embedder | undefined;
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
      const embeddings = EMBEDDINGS[slot.protocol];
      if (slot.embeddingModel === undefined || embeddings === undefined) continue;
      const model = slot.embeddingModel;
      this.embedder ??= new Embedder({ ...client, model, protocol: embeddings });
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
    this.embedder?.close();
  }
}

const PROTOCOLS: Readonly<Record<ProtocolName, (baseUrl: string) => Protocol>> = {
  openai: openaiProtocol,
  anthropic: anthropicProtocol,
  google: googleProtocol,
};

const EMBEDDINGS: Readonly<Partial<Record<ProtocolName, EmbeddingProtocol>>> = {
  openai: openaiEmbeddings,
  google: googleEmbeddings,
};

function unconfigured(vendor: Vendor): Model {
  const message = `no vendor is configured for ${vendor}`;
  return { stream: () => Promise.reject(new ModelError("provider_error", message)) };
}
