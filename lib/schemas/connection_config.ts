import type { ProviderId } from "./provider_id.ts";

export const PROTOCOLS = ["openai", "anthropic", "google"] as const;
export type Protocol = typeof PROTOCOLS[number];

/** What people call them. */
export const PROTOCOL_NAMES: Readonly<Record<Protocol, string>> = {
  openai: "OpenAI-compatible",
  anthropic: "Anthropic",
  google: "Google Gemini",
};

/** The protocols that this service can request embeddings with. */
export const EMBEDDING_PROTOCOLS = ["openai", "google"] as const satisfies readonly Protocol[];
export type EmbeddingProtocolName = typeof EMBEDDING_PROTOCOLS[number];

export function hasEmbeddings(protocol: Protocol): protocol is EmbeddingProtocolName {
  return EMBEDDING_PROTOCOLS.some((name) => name === protocol);
}

/** The protocol of a connection that names none. */
export const DEFAULT_PROTOCOLS: Readonly<Record<ProviderId, Protocol>> = {
  vendor_a: "openai",
  vendor_b: "anthropic",
  vendor_c: "google",
};

/** The public address of each protocol's own provider. */
export const DEFAULT_BASE_URLS: Readonly<Record<Protocol, string>> = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
};

export interface ConnectionConfig {
  readonly protocol: Protocol;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly name?: string | undefined;
  readonly embeddingModel?: string | undefined;
}
