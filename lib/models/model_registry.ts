import type { ConnectionConfig } from "../config.ts";
import type { Protocol as ProtocolName } from "../config_fields.ts";
import type { Runtime } from "../system.ts";
import { DEMO_MODEL, type Vendor, VENDORS } from "../wire/vendors.ts";
import { anthropicProtocol } from "./anthropic/anthropic_protocol.ts";
import { DemoModel } from "./demo_model.ts";
import { googleProtocol } from "./google/google_protocol.ts";
import { Embedder, type EmbedderOptions } from "./embeddings/embedder.ts";
import type { EmbeddingProtocol } from "./embeddings/embedding_protocol.ts";
import { googleEmbeddings } from "./embeddings/google_embeddings.ts";
import { openaiEmbeddings } from "./embeddings/openai_embeddings.ts";
import { type Model, ModelError } from "./model.ts";
import { openaiProtocol } from "./openai/openai_protocol.ts";
import type { Protocol } from "./protocol.ts";
import { VendorHealth } from "./vendor_health.ts";
import { VendorModel } from "./vendor_model.ts";
import type { VendorReport } from "./vendor_report.ts";
import type { VendorTimeouts } from "./vendor_timeouts.ts";

export type VendorConfigs = Readonly<Partial<Record<Vendor, ConnectionConfig>>>;

export interface ModelRegistryOptions {
  /** The slots that the environment sets up: they stay as they are. */
  vendors?: VendorConfigs;
  /** Told of each failure of a vendor. */
  report?: (event: VendorReport) => void;
  timeouts?: Partial<VendorTimeouts>;
}

interface Slot {
  config: ConnectionConfig;
  client: VendorModel;
}

/** Finds the client for a model: the embedded one, or that of the slot's vendor. */
export class ModelRegistry {
  readonly health: VendorHealth;
  /** The embedding model of the first slot that has one. */
  readonly embedder: Embedder | undefined;
  readonly #demo: Model;
  readonly #fixed: VendorConfigs;
  readonly #slots = new Map<Vendor, Slot>();
  readonly #makeClient: (vendor: Vendor, config: ConnectionConfig) => VendorModel;

  constructor(system: Runtime, options: ModelRegistryOptions = {}) {
    const { vendors = {}, report = () => {}, timeouts } = options;
    const health = new VendorHealth(() => system.now());
    this.health = health;
    this.#demo = new DemoModel(system);
    this.#fixed = vendors;
    this.#makeClient = (vendor, { protocol: name, baseUrl, apiKey }) =>
      new VendorModel({
        vendor,
        protocol: PROTOCOLS[name](baseUrl),
        baseUrl,
        apiKey,
        system,
        timeouts,
        onAnswer: () => health.answered(vendor),
        report: (event) => {
          health.failed(event);
          report(event);
        },
      });
    this.configure({});
    this.embedder = embedderOf(vendors, { system, report, timeouts });
  }

  /**
   * Sets up the slots that the environment leaves open, and empties those not named. A slot that
   * changes gets a new client; answers that the old one still streams go on to their end.
   */
  configure(stored: VendorConfigs): void {
    for (const vendor of VENDORS) {
      const config = this.#fixed[vendor] ?? stored[vendor];
      const slot = this.#slots.get(vendor);
      if (config !== undefined && slot !== undefined && isSame(slot.config, config)) continue;
      slot?.client.retire();
      if (config === undefined) this.#slots.delete(vendor);
      else this.#slots.set(vendor, { config, client: this.#makeClient(vendor, config) });
    }
  }

  /** Always a client; one for a slot without a vendor refuses every request. */
  find(vendor: Vendor, model: string): Model {
    if (model === DEMO_MODEL) return this.#demo;
    return this.#slots.get(vendor)?.client ?? unconfigured(vendor);
  }

  /** How the slot is set up, wherever that was done; its credential stays here. */
  slot(vendor: Vendor): Omit<ConnectionConfig, "apiKey"> | undefined {
    const config = this.#slots.get(vendor)?.config;
    if (config === undefined) return undefined;
    const { protocol, baseUrl, name } = config;
    return { protocol, baseUrl, name };
  }

  /** Closes every vendor's connections. */
  close(): void {
    for (const { client } of this.#slots.values()) client.close();
    this.embedder?.close();
  }
}

/** Only the environment names embedding models, so this one stays as it is. */
function embedderOf(
  vendors: VendorConfigs,
  parts: Pick<EmbedderOptions, "system" | "report" | "timeouts">,
): Embedder | undefined {
  for (const vendor of VENDORS) {
    const slot = vendors[vendor];
    const protocol = slot && EMBEDDINGS[slot.protocol];
    if (slot?.embeddingModel === undefined || protocol === undefined) continue;
    const { baseUrl, apiKey, embeddingModel: model } = slot;
    return new Embedder({ ...parts, vendor, protocol, baseUrl, apiKey, model });
  }
  return undefined;
}

function isSame(one: ConnectionConfig, other: ConnectionConfig): boolean {
  return one.protocol === other.protocol && one.baseUrl === other.baseUrl &&
    one.apiKey === other.apiKey && one.name === other.name;
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
