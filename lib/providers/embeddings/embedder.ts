import { tryParseJson } from "../../platform/json.ts";
import type { ProviderId } from "../../schemas/provider_id.ts";
import { ProviderError } from "../provider_error.ts";
import {
  encodeJsonBody,
  ProviderClient,
  type ProviderClientOptions,
} from "../transport/provider_client.ts";
import { readResponseBody } from "../transport/read_body.ts";
import type { EmbeddingProtocol, EmbeddingRequest, Embeddings } from "./embedding_protocols.ts";

/** 64 vectors of 4,096 numbers with 24 characters each take six million bytes. */
const MAX_RESPONSE_BYTES = 16 * 1_048_576;
const MAX_DIMENSIONS = 8_192;

export interface EmbedderOptions extends ProviderClientOptions {
  model: string;
  protocol: EmbeddingProtocol;
}

export interface EmbedOptions extends Pick<EmbeddingRequest, "purpose"> {
  signal: AbortSignal;
  /** Milliseconds since the epoch: a retry that would start later is not attempted. */
  deadline?: number;
}

export class Embedder extends ProviderClient {
  readonly provider: ProviderId;
  readonly model: string;
  readonly #options: EmbedderOptions;

  constructor(options: EmbedderOptions) {
    super(options);
    this.provider = options.provider;
    this.model = options.model;
    this.#options = options;
  }

  /** Returns a vector for each of at most 64 texts. Throws a `ModelError` or the signal's reason. */
  embed(
    texts: readonly string[],
    { purpose, signal, deadline }: EmbedOptions,
  ): Promise<Embeddings> {
    const { model } = this;
    const attempt = (attempt: number) =>
      this.withKey((apiKey) => this.#request({ model, texts, purpose }, { apiKey, signal }), {
        ...{ model, attempt },
      });
    return this.retry(attempt, { model, signal, deadline });
  }

  async #request(
    request: EmbeddingRequest,
    { apiKey, signal }: { apiKey: string; signal: AbortSignal },
  ): Promise<Embeddings> {
    const { protocol } = this.#options;
    const post = {
      path: protocol.path(request),
      headers: protocol.headers(apiKey),
      body: encodeJsonBody(protocol.body(request)),
      accept: "application/json",
    };
    const { exchange } = await this.open(post, { signal });
    const text = await readResponseBody(exchange, MAX_RESPONSE_BYTES);
    const embeddings = protocol.parse(tryParseJson(text));
    if (embeddings !== undefined && matchesRequest(request, embeddings)) return embeddings;
    throw new ProviderError("provider_error", "the model provider answered no embeddings", {
      errorBody: text.slice(0, 500),
    });
  }
}

function matchesRequest({ texts }: EmbeddingRequest, { vectors }: Embeddings): boolean {
  const dimensions = vectors[0]?.length ?? 0;
  return vectors.length === texts.length && dimensions > 0 && dimensions <= MAX_DIMENSIONS &&
    vectors.every((vector) => vector.length === dimensions && vector.every(Number.isFinite));
}
