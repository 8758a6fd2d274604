import type { Runtime } from "../platform/runtime.ts";
import type { ProviderId } from "../schemas/provider_id.ts";
import { ResponseReader } from "./transport/response_reader.ts";
import { type HttpExchange, openHttpExchange } from "./transport/http_exchange.ts";
import { readErrorBody, readErrorResponse } from "./transport/read_error_response.ts";
import { ConnectionPool, type PostRequest } from "./transport/connection_pool.ts";
import { ProviderError } from "./provider_error.ts";
import { withRetries } from "./transport/with_retries.ts";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import type { ProviderProtocol, RequestBuilder } from "./protocol.ts";
import { describeJsonError } from "./stream_json.ts";
import { ResponseAccumulator } from "./response_accumulator.ts";
import { UsageTracker } from "./usage_tracker.ts";
import { describeFailure, type ProviderFailure } from "./provider_failure.ts";
import { DEFAULT_TIMEOUTS, type ProviderTimeouts } from "./provider_timeouts.ts";

export interface ProviderModelOptions {
  provider: ProviderId;
  protocol: ProviderProtocol;
  baseUrl: string;
  apiKey: string;
  runtime: Runtime;
  timeouts?: Partial<ProviderTimeouts> | undefined;
  /** Told of every failure, also of one that a retry makes good. */
  onFailure: (event: ProviderFailure) => void;
  /** Told whenever the vendor has begun to answer. */
  onSuccess?: (() => void) | undefined;
}

/** How many ways one attempt may put its request: each field that a vendor may refuse, once. */
const MAX_REQUEST_VARIANTS = 4;

const encoder = new TextEncoder();

/** The client of one vendor slot: its protocol over its own kept-alive connections. */
export class ProviderModel implements Model {
  readonly #options: ProviderModelOptions;
  readonly #timeouts: ProviderTimeouts;
  readonly #pool: ConnectionPool;
  readonly #headers: Readonly<Record<string, string>>;
  /** Models that have been seen to reason: their hidden output is charged from the request on. */
  readonly #reasoningModels = new Set<string>();

  constructor(options: ProviderModelOptions) {
    this.#options = options;
    this.#timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    this.#pool = new ConnectionPool(options.baseUrl);
    this.#headers = options.protocol.headers(options.apiKey);
  }

  stream(request: ModelRequest): Promise<AsyncIterable<ModelEvent>> {
    const { runtime } = this.#options;
    const { signal, deadline, maxRetryWaitMs } = request;
    let isBilled = false;
    const billed: ModelRequest["onUsage"] = (usage) => {
      isBilled = true;
      request.onUsage?.(usage);
    };
    let { maxOutputTokens } = request;
    const again = async () => {
      if (isBilled) maxOutputTokens = await request.authorizeRetry?.() ?? maxOutputTokens;
      isBilled = false;
      return maxOutputTokens > 0;
    };
    const attempt = async (n: number) => {
      try {
        return await this.#attempt({ ...request, maxOutputTokens, onUsage: billed });
      } catch (error) {
        this.#report(error, { model: request.model, attempt: n });
        throw error;
      }
    };
    return withRetries(attempt, { runtime, signal, deadline, maxRetryWaitMs, beforeRetry: again });
  }

  /** Closes every connection; answers still streaming break off. */
  close(): void {
    this.#pool.close();
  }

  /** Is used no more: answers still streaming go on, and each connection closes when it is free. */
  retire(): void {
    this.#pool.retire();
  }

  async #attempt(request: ModelRequest): Promise<AsyncIterable<ModelEvent>> {
    request.signal.throwIfAborted();
    const { protocol } = this.#options;
    const phrasing = protocol.createRequest(request);
    for (let n = 1;; n++) {
      try {
        const answer = await this.#request(request, phrasing);
        phrasing.onAccepted?.();
        return answer;
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        if (protocol.isContentFilter?.(error)) return filteredResponse();
        if (n === MAX_REQUEST_VARIANTS || !phrasing.adaptTo?.(error)) throw error;
      }
    }
  }

  async #request(
    request: ModelRequest,
    phrasing: RequestBuilder,
  ): Promise<AsyncIterable<ModelEvent>> {
    const { path } = phrasing;
    const body = encoder.encode(toJson(phrasing.body()));
    const { model, maxOutputTokens, maxInputTokens } = request;
    const requestBytes = body.byteLength;
    const tally = new UsageTracker({
      requestBytes,
      maxOutputTokens,
      maxInputTokens,
      now: () => this.#options.runtime.now(),
      reasons: this.#reasoningModels.has(model),
      onReasoning: () => this.#reasoningModels.add(model),
    });
    const bill = () => request.onUsage?.(tally.total(false));
    const post = { path, headers: this.#headers, body };
    const onWhole = (words: string) => {
      tally.countText(words);
      bill();
    };
    const { signal } = request;
    const exchange = await this.#openStream(post, { signal, onAbandoned: bill, onWhole });
    tally.onResponseStart(exchange.respondedAt);
    // A run's messages grow with each step, so their number tells its steps apart; where old ones were
    // dropped and it comes again, `normalizeCallIds` does.
    const turn = new ResponseAccumulator(tally, request.messages.length);
    const reader = new ResponseReader({
      exchange,
      response: turn,
      decoder: this.#options.protocol.createDecoder(turn),
      onBroken: (fault) => this.#report(fault, { model }),
    });
    try {
      await reader.waitForStart();
    } catch (fault) {
      // A vendor that says no before it has counted anything has refused, whatever its status said.
      const isRefusal = fault instanceof ProviderError && fault.reportedByProvider &&
        !tally.hasReport;
      if (!isRefusal) bill();
      throw fault;
    }
    this.#options.onSuccess?.();
    return reader.events();
  }

  /** An exchange whose answer is a stream of events. */
  async #openStream(
    post: PostRequest,
    { signal, onAbandoned, onWhole }: {
      signal: AbortSignal;
      onAbandoned: () => void;
      /** Told of an answer that came whole, and is billed though nobody can use it. */
      onWhole: (words: string) => void;
    },
  ): Promise<HttpExchange> {
    const { runtime } = this.#options;
    const connection = this.#pool;
    const exchange = openHttpExchange({
      pool: connection,
      post,
      runtime,
      signal,
      ...this.#timeouts,
    });
    const response = await exchange.head.catch((error) => {
      if (exchange.abandoned) onAbandoned();
      throw error;
    });
    if (response.statusCode !== 200) {
      const refusal = await readErrorResponse(exchange, { response, runtime });
      signal.throwIfAborted();
      throw refusal;
    }
    const { "content-type": type = "", "content-encoding": coding = "identity" } = response.headers;
    if (/json|html/i.test(type) || coding !== "identity") {
      const said = await readErrorBody(exchange, runtime);
      if (/json/i.test(type) && describeJsonError(said) === "") onWhole(said);
      signal.throwIfAborted();
      const words = describeBody(type, said);
      throw new ProviderError("provider_error", "the model vendor answered no stream", {
        errorBody: words,
      });
    }
    return exchange;
  }

  #report(error: unknown, { model, attempt }: { model: string; attempt?: number }): void {
    if (!(error instanceof ProviderError)) return;
    const { provider, apiKey, onFailure } = this.#options;
    onFailure(describeFailure(error, { vendor: provider, model, attempt, apiKey }));
  }
}

/** What is logged of an answer that is no stream: a JSON text may be all that the model said. */
function describeBody(type: string, words: string): string {
  return /json/i.test(type)
    ? `${type} of ${words.length} characters${describeJsonError(words)}`
    : words;
}

/**
 * Halves of surrogate pairs, as a tool may answer them, would be sent as escapes that vendors refuse
 * the whole request for. Only they are escaped so, and a backslash before the letters `ud`.
 */
function toJson(body: unknown): string {
  const json = JSON.stringify(body);
  if (!json.includes("\\ud")) return json;
  return JSON.stringify(
    body,
    (_key, value) => typeof value === "string" ? value.toWellFormed() : value,
  );
}

/** A prompt that a filter took before the model saw it; such a refusal is not billed. */
async function* filteredResponse(): AsyncGenerator<ModelEvent> {
  yield { type: "usage", inputTokens: 0, outputTokens: 0 };
  yield { type: "end", reason: "content_filter" };
}
