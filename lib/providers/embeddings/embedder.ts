import type { Runtime } from "../../platform/runtime.ts";
import type { ProviderId } from "../../schemas/provider_id.ts";
import { openHttpExchange, readResponseBody } from "../transport/http_exchange.ts";
import { readErrorResponse } from "../transport/read_error_response.ts";
import { ConnectionPool } from "../transport/connection_pool.ts";
import { ProviderError } from "../provider_error.ts";
import { withRetries } from "../transport/with_retries.ts";
import { describeFailure, type ProviderFailure } from "../provider_failure.ts";
import { DEFAULT_TIMEOUTS, type ProviderTimeouts } from "../provider_timeouts.ts";
import type { EmbeddingProtocol, EmbeddingRequest, Embeddings } from "./embedding_protocol.ts";

/** 64 vectors of 4,096 numbers, each as 24 characters, come to six million. */
const MAX_RESPONSE_BYTES = 16 * 1_048_576;
const MAX_DIMENSIONS = 8_192;

export interface EmbedderOptions {
  provider: ProviderId;
  model: string;
  protocol: EmbeddingProtocol;
  baseUrl: string;
  apiKey: string;
  runtime: Runtime;
  timeouts?: Partial<ProviderTimeouts> | undefined;
  /** Told of every failure, also of one that a retry makes good. */
  onFailure: (event: ProviderFailure) => void;
}

/** What texts are to be embedded, and until when. */
export interface EmbedOptions extends Pick<EmbeddingRequest, "purpose"> {
  signal: AbortSignal;
  /** Milliseconds since the epoch: a wait for a busy vendor that would end later is not begun. */
  deadline?: number;
}

/** The embedding model of one vendor slot. */
export class Embedder {
  readonly provider: ProviderId;
  readonly model: string;
  readonly #options: EmbedderOptions;
  readonly #connection: ConnectionPool;

  constructor(options: EmbedderOptions) {
    this.provider = options.provider;
    this.model = options.model;
    this.#options = options;
    this.#connection = new ConnectionPool(options.baseUrl);
  }

  /** One vector a text; throws a `ModelError`, or the signal's reason. At most 64 texts at a time. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Embeddings> {
    const { runtime } = this.#options;
    const request = { model: this.model, texts, purpose: options.purpose };
    const attempt = async (n: number) => {
      try {
        return await this.#request(request, options.signal);
      } catch (error) {
        this.#report(error, n);
        throw error;
      }
    };
    return withRetries(attempt, { ...options, runtime });
  }

  /** Closes every connection. */
  close(): void {
    this.#connection.close();
  }

  async #request(request: EmbeddingRequest, signal: AbortSignal): Promise<Embeddings> {
    signal.throwIfAborted();
    const { protocol, apiKey, runtime, timeouts } = this.#options;
    const post = {
      path: protocol.path(request),
      headers: protocol.headers(apiKey),
      body: new TextEncoder().encode(JSON.stringify(wellFormed(protocol.body(request)))),
      accept: "application/json",
    };
    const connection = this.#connection;
    const limits = { ...DEFAULT_TIMEOUTS, ...timeouts };
    const exchange = openHttpExchange({ pool: connection, post, runtime, signal, ...limits });
    const response = await exchange.head;
    if (response.statusCode !== 200) {
      const refusal = await readErrorResponse(exchange, { response, runtime });
      signal.throwIfAborted();
      throw refusal;
    }
    const text = await readResponseBody(exchange, { mostBytes: MAX_RESPONSE_BYTES });
    const read = protocol.parse(parseJson(text));
    if (read === undefined || !matchesRequest(request, read)) {
      const words = text.slice(0, 500);
      throw new ProviderError("provider_error", "the model vendor answered no embeddings", {
        errorBody: words,
      });
    }
    return read;
  }

  #report(error: unknown, attempt: number): void {
    if (!(error instanceof ProviderError)) return;
    const { provider, model, apiKey, onFailure } = this.#options;
    onFailure(describeFailure(error, { vendor: provider, model, apiKey, attempt }));
  }
}

function matchesRequest({ texts }: EmbeddingRequest, { vectors }: Embeddings): boolean {
  const dimensions = vectors[0]?.length ?? 0;
  return vectors.length === texts.length && dimensions > 0 && dimensions <= MAX_DIMENSIONS &&
    vectors.every((vector) => vector.length === dimensions && vector.every(Number.isFinite));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Halves of surrogate pairs would be refused, and all texts that were sent with them. */
function wellFormed(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(
      body,
      (_key, value) => typeof value === "string" ? value.toWellFormed() : value,
    ),
  );
}
