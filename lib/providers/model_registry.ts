import type { Tracing } from "../platform/tracing.ts";
import type { Runtime } from "../platform/runtime.ts";
import {
  type ConnectionConfig,
  type EmbeddingProtocolName,
  hasEmbeddings,
  type Protocol as ProtocolName,
} from "../schemas/connection_config.ts";
import { DEMO_MODEL, PROVIDER_IDS, type ProviderId } from "../schemas/provider_id.ts";
import { anthropicProtocol } from "./anthropic/anthropic_protocol.ts";
import { DemoModel } from "./demo_model.ts";
import { Embedder, type EmbedderOptions } from "./embeddings/embedder.ts";
import {
  type EmbeddingProtocol,
  googleEmbeddings,
  openaiEmbeddings,
} from "./embeddings/embedding_protocols.ts";
import { googleProtocol } from "./google/google_protocol.ts";
import type { KeyCounts } from "./key_ring.ts";
import { type Model, ModelError } from "./model.ts";
import { ModelCallSpan } from "./model_call_span.ts";
import { openaiProtocol } from "./openai/openai_protocol.ts";
import type { ProviderProtocol } from "./protocol.ts";
import type { ProviderFailure } from "./provider_failure.ts";
import { ProviderHealth } from "./provider_health.ts";
import { ProviderModel } from "./provider_model.ts";
import type { ProviderTimeouts } from "./transport/http_exchange.ts";

export type ProviderConfigs = Readonly<Partial<Record<ProviderId, ConnectionConfig>>>;

export interface ModelRegistryOptions {
  /** Connections that the environment configures; stored ones do not replace them. */
  providers?: ProviderConfigs;
  onFailure?: (failure: ProviderFailure) => void;
  /** A model has accepted a request. */
  onSuccess?: (provider: ProviderId, model: string) => void;
  timeouts?: Partial<ProviderTimeouts>;
  /** Set if traces are collected. */
  tracing?: Tracing | undefined;
}

interface Connection {
  config: ConnectionConfig;
  client: ProviderModel;
}

/** Finds the client for a model: the demo model, or that of the configured connection. */
export class ModelRegistry {
  readonly health: ProviderHealth;
  /** The embedding model of the first connection that has one. */
  readonly embedder: Embedder | undefined;
  readonly #demo: Model;
  readonly #fixed: ProviderConfigs;
  readonly #connections = new Map<ProviderId, Connection>();
  readonly #createClient: (provider: ProviderId, config: ConnectionConfig) => ProviderModel;

  constructor(runtime: Runtime, options: ModelRegistryOptions = {}) {
    const { providers = {}, onFailure = () => {}, onSuccess, timeouts, tracing } = options;
    const health = new ProviderHealth(() => runtime.now());
    this.health = health;
    this.#demo = new DemoModel(runtime);
    this.#fixed = providers;
    this.#createClient = (provider, { protocol, baseUrl, apiKey }) =>
      new ProviderModel({
        provider,
        protocol: PROTOCOL_FACTORIES[protocol](baseUrl),
        traceCall: tracing &&
          ((call) => new ModelCallSpan(tracing, { ...call, protocol, baseUrl })),
        baseUrl,
        apiKey,
        runtime,
        timeouts,
        onSuccess: (model) => {
          health.recordSuccess(provider, model);
          onSuccess?.(provider, model);
        },
        onFailure: (failure) => {
          health.recordFailure(failure);
          onFailure(failure);
        },
      });
    this.configure({});
    this.embedder = createEmbedder(providers, { runtime, onFailure, timeouts });
  }

  /**
   * Configures the connections that the environment leaves open, and removes those not in `stored`. A
   * changed connection gets a new client; responses that the old one still streams continue.
   */
  configure(stored: ProviderConfigs): void {
    for (const provider of PROVIDER_IDS) {
      const config = this.#fixed[provider] ?? stored[provider];
      const current = this.#connections.get(provider);
      if (config !== undefined && current !== undefined && isSame(current.config, config)) continue;
      current?.client.retire();
      if (config === undefined) this.#connections.delete(provider);
      else {this.#connections.set(provider, {
          config,
          client: this.#createClient(provider, config),
        });}
    }
  }

  /** Always returns a client; without a connection, it rejects every request. */
  find(provider: ProviderId, model: string): Model {
    if (model === DEMO_MODEL) return this.#demo;
    return this.#connections.get(provider)?.client ?? unconfiguredModel(provider);
  }

  /** The configuration of a connection without its API key. */
  connection(provider: ProviderId): Omit<ConnectionConfig, "apiKey"> | undefined {
    const config = this.#connections.get(provider)?.config;
    if (config === undefined) return undefined;
    const { protocol, baseUrl, name } = config;
    return { protocol, baseUrl, name };
  }

  /** The API keys of a connection in this process. */
  keyCounts(provider: ProviderId): KeyCounts | undefined {
    return this.#connections.get(provider)?.client.keyCounts;
  }

  /** Closes all connections; responses that still stream break off. */
  close(): void {
    for (const { client } of this.#connections.values()) client.close();
    this.embedder?.close();
  }
}

/** Only the environment configures embedding models, so there is one per process. */
function createEmbedder(
  configs: ProviderConfigs,
  options: Pick<EmbedderOptions, "runtime" | "onFailure" | "timeouts">,
): Embedder | undefined {
  for (const provider of PROVIDER_IDS) {
    const config = configs[provider];
    if (config?.embeddingModel === undefined || !hasEmbeddings(config.protocol)) continue;
    const { baseUrl, apiKey, embeddingModel: model } = config;
    const protocol = EMBEDDING_IMPLEMENTATIONS[config.protocol];
    return new Embedder({ ...options, provider, protocol, baseUrl, apiKey, model });
  }
  return undefined;
}

function isSame(one: ConnectionConfig, other: ConnectionConfig): boolean {
  return one.protocol === other.protocol && one.baseUrl === other.baseUrl &&
    one.apiKey === other.apiKey && one.name === other.name;
}

export const PROTOCOL_FACTORIES: Readonly<
  Record<ProtocolName, (baseUrl: string) => ProviderProtocol>
> = {
  openai: openaiProtocol,
  anthropic: anthropicProtocol,
  google: googleProtocol,
};

const EMBEDDING_IMPLEMENTATIONS: Readonly<Record<EmbeddingProtocolName, EmbeddingProtocol>> = {
  openai: openaiEmbeddings,
  google: googleEmbeddings,
};

function unconfiguredModel(provider: ProviderId): Model {
  const message = `no provider is configured for ${provider}`;
  return { stream: () => Promise.reject(new ModelError("provider_error", message)) };
}
