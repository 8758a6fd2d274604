import type { ConnectionConfig, Protocol as ProtocolName } from "../schemas/connection_config.ts";
import type { Runtime } from "../platform/runtime.ts";
import { DEMO_MODEL, PROVIDER_IDS, type ProviderId } from "../schemas/provider_id.ts";
import { anthropicProtocol } from "./anthropic/anthropic_protocol.ts";
import { DemoModel } from "./demo_model.ts";
import { googleProtocol } from "./google/google_protocol.ts";
import { Embedder, type EmbedderOptions } from "./embeddings/embedder.ts";
import type { EmbeddingProtocol } from "./embeddings/embedding_protocol.ts";
import { googleEmbeddings } from "./embeddings/google_embeddings.ts";
import { openaiEmbeddings } from "./embeddings/openai_embeddings.ts";
import { type Model, ModelError } from "./model.ts";
import { openaiProtocol } from "./openai/openai_protocol.ts";
import type { ProviderProtocol } from "./protocol.ts";
import { ProviderHealth } from "./provider_health.ts";
import { ProviderModel } from "./provider_model.ts";
import type { ProviderFailure } from "./provider_failure.ts";
import type { ProviderTimeouts } from "./provider_timeouts.ts";

export type ProviderConfigs = Readonly<Partial<Record<ProviderId, ConnectionConfig>>>;

export interface ModelRegistryOptions {
  /** The slots that the environment sets up: they stay as they are. */
  providers?: ProviderConfigs;
  /** Told of each failure of a vendor. */
  onFailure?: (event: ProviderFailure) => void;
  timeouts?: Partial<ProviderTimeouts>;
}

interface Connection {
  config: ConnectionConfig;
  client: ProviderModel;
}

/** Finds the client for a model: the embedded one, or that of the slot's vendor. */
export class ModelRegistry {
  readonly health: ProviderHealth;
  /** The embedding model of the first slot that has one. */
  readonly embedder: Embedder | undefined;
  readonly #demo: Model;
  readonly #fixed: ProviderConfigs;
  readonly #connections = new Map<ProviderId, Connection>();
  readonly #makeClient: (vendor: ProviderId, config: ConnectionConfig) => ProviderModel;

  constructor(runtime: Runtime, options: ModelRegistryOptions = {}) {
    const { providers = {}, onFailure = () => {}, timeouts } = options;
    const health = new ProviderHealth(() => runtime.now());
    this.health = health;
    this.#demo = new DemoModel(runtime);
    this.#fixed = providers;
    this.#makeClient = (vendor, { protocol: name, baseUrl, apiKey }) =>
      new ProviderModel({
        provider: vendor,
        protocol: PROTOCOL_FACTORIES[name](baseUrl),
        baseUrl,
        apiKey,
        runtime,
        timeouts,
        onSuccess: () => health.recordSuccess(vendor),
        onFailure: (event) => {
          health.recordFailure(event);
          onFailure(event);
        },
      });
    this.configure({});
    this.embedder = createEmbedder(providers, { runtime, onFailure, timeouts });
  }

  /**
   * Sets up the slots that the environment leaves open, and empties those not named. A slot that
   * changes gets a new client; answers that the old one still streams go on to their end.
   */
  configure(stored: ProviderConfigs): void {
    for (const vendor of PROVIDER_IDS) {
      const config = this.#fixed[vendor] ?? stored[vendor];
      const slot = this.#connections.get(vendor);
      if (config !== undefined && slot !== undefined && isSame(slot.config, config)) continue;
      slot?.client.retire();
      if (config === undefined) this.#connections.delete(vendor);
      else this.#connections.set(vendor, { config, client: this.#makeClient(vendor, config) });
    }
  }

  /** Always a client; one for a slot without a vendor refuses every request. */
  find(vendor: ProviderId, model: string): Model {
    if (model === DEMO_MODEL) return this.#demo;
    return this.#connections.get(vendor)?.client ?? unconfiguredModel(vendor);
  }

  /** How the slot is set up, wherever that was done; its credential stays here. */
  connection(vendor: ProviderId): Omit<ConnectionConfig, "apiKey"> | undefined {
    const config = this.#connections.get(vendor)?.config;
    if (config === undefined) return undefined;
    const { protocol, baseUrl, name } = config;
    return { protocol, baseUrl, name };
  }

  /** Closes every vendor's connections. */
  close(): void {
    for (const { client } of this.#connections.values()) client.close();
    this.embedder?.close();
  }
}

/** Only the environment names embedding models, so this one stays as it is. */
function createEmbedder(
  vendors: ProviderConfigs,
  parts: Pick<EmbedderOptions, "runtime" | "onFailure" | "timeouts">,
): Embedder | undefined {
  for (const vendor of PROVIDER_IDS) {
    const slot = vendors[vendor];
    const protocol = slot && EMBEDDING_PROTOCOLS[slot.protocol];
    if (slot?.embeddingModel === undefined || protocol === undefined) continue;
    const { baseUrl, apiKey, embeddingModel: model } = slot;
    return new Embedder({ ...parts, provider: vendor, protocol, baseUrl, apiKey, model });
  }
  return undefined;
}

function isSame(one: ConnectionConfig, other: ConnectionConfig): boolean {
  return one.protocol === other.protocol && one.baseUrl === other.baseUrl &&
    one.apiKey === other.apiKey && one.name === other.name;
}

const PROTOCOL_FACTORIES: Readonly<Record<ProtocolName, (baseUrl: string) => ProviderProtocol>> = {
  openai: openaiProtocol,
  anthropic: anthropicProtocol,
  google: googleProtocol,
};

const EMBEDDING_PROTOCOLS: Readonly<Partial<Record<ProtocolName, EmbeddingProtocol>>> = {
  openai: openaiEmbeddings,
  google: googleEmbeddings,
};

function unconfiguredModel(vendor: ProviderId): Model {
  const message = `no vendor is configured for ${vendor}`;
  return { stream: () => Promise.reject(new ModelError("provider_error", message)) };
}
