import { setTimer } from "../platform/runtime.ts";
import type { Model, ModelRequest, ModelStream } from "./model.ts";
import type { ModelCall, ModelCallSpan } from "./model_call_span.ts";
import type { ProviderProtocol, RequestBuilder } from "./protocol.ts";
import { ProviderError } from "./provider_error.ts";
import { ResponseAccumulator } from "./response_accumulator.ts";
import { describeJsonError } from "./stream_json.ts";
import type { ProviderRequest } from "./transport/connection_pool.ts";
import type { HttpExchange } from "./transport/http_exchange.ts";
import {
  encodeJsonBody,
  ProviderClient,
  type ProviderClientOptions,
} from "./transport/provider_client.ts";
import { readErrorBody } from "./transport/read_body.ts";
import { ResponseReader } from "./transport/response_reader.ts";
import { UsageTracker } from "./usage_tracker.ts";

export interface ProviderModelOptions extends ProviderClientOptions {
  protocol: ProviderProtocol;
  onSuccess?: ((model: string) => void) | undefined;
  /** Starts the span of an attempt; unset unless traces are collected. */
  traceCall?: ((call: Pick<ModelCall, "request" | "attempt">) => ModelCallSpan) | undefined;
}

/** Variants of a request per attempt: every field of it may be rejected, one in three forms. */
const MAX_REQUEST_VARIANTS = 14;

export class ProviderModel extends ProviderClient implements Model {
  readonly #options: ProviderModelOptions;
  /** Models that have been seen to reason: their hidden output is charged from the request on. */
  readonly #reasoningModels = new Set<string>();

  constructor(options: ProviderModelOptions) {
    super(options);
    this.#options = options;
  }

  stream(request: ModelRequest): Promise<ModelStream> {
    const { model, signal, deadline, maxRetryWaitMs } = request;
    let { maxOutputTokens } = request;
    let isBilled = false;
    const onUsage: ModelRequest["onUsage"] = (usage) => {
      isBilled = true;
      request.onUsage?.(usage);
    };
    const beforeRetry = async () => {
      if (isBilled) maxOutputTokens = await request.authorizeRetry?.() ?? maxOutputTokens;
      isBilled = false;
      return maxOutputTokens > 0;
    };
    const attempt = (n: number) =>
      this.#attempt({ ...request, maxOutputTokens, onUsage }, {
        attempt: n,
        isBilled: () => isBilled,
      });
    return this.retry(attempt, { model, signal, deadline, maxRetryWaitMs, beforeRetry });
  }

  async #attempt(
    request: ModelRequest,
    { attempt, isBilled }: { attempt: number; isBilled: () => boolean },
  ): Promise<ModelStream> {
    const { protocol } = this.#options;
    const { model, affinity } = request;
    const facts = { model, attempt, isBilled, ...affinity !== undefined && { affinity } };
    const builder = protocol.createRequest(request);
    for (let n = 1;; n++) {
      try {
        const stream = await this.withKey(
          (apiKey) => this.#trace(request, { builder, apiKey, attempt }),
          facts,
        );
        builder.onAccepted();
        return stream;
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        if (protocol.isContentFilter?.(error)) return FILTERED_RESPONSE;
        if (n === MAX_REQUEST_VARIANTS || !builder.adaptTo(error)) throw error;
      }
    }
  }

  async #trace(
    request: ModelRequest,
    { attempt, ...how }: { builder: RequestBuilder; apiKey: string; attempt: number },
  ): Promise<ModelStream> {
    const span = this.#options.traceCall?.({ request, attempt });
    if (span === undefined) return await this.#request(request, how);
    try {
      return span.follow(await this.#request(request, { ...how, headers: span.headers }));
    } catch (error) {
      span.fail(error);
      throw error;
    }
  }

  async #request(
    request: ModelRequest,
    { builder, apiKey, headers: more }: {
      builder: RequestBuilder;
      apiKey: string;
      headers?: Readonly<Record<string, string>>;
    },
  ): Promise<ModelStream> {
    const { model, maxOutputTokens, maxInputTokens, responseMs, signal } = request;
    const body = encodeJsonBody(builder.body());
    const usage = new UsageTracker({
      requestBytes: body.byteLength,
      maxOutputTokens,
      maxInputTokens,
      now: () => this.#options.runtime.now(),
      reasons: this.#reasoningModels.has(model),
      onReasoning: () => this.#reasoningModels.add(model),
    });
    const reportUsage = () => request.onUsage?.(usage.total(false));
    const onUnusable = (text: string) => {
      usage.countText(text);
      reportUsage();
    };
    const headers = { ...this.#options.protocol.headers(apiKey), ...more };
    const exchange = await this.#openStream({ path: builder.path, headers, body }, {
      ...{ signal, responseMs, onUnusable },
      onAbandoned: reportUsage,
    });
    usage.onResponseStart(exchange.respondedAt);
    // The number of messages grows with each step. It repeats only if old messages were dropped, and
    // then `normalizeCallIds` makes the ids unique.
    const response = new ResponseAccumulator(usage, request.messages.length);
    const reader = new ResponseReader({
      exchange,
      response,
      decoder: this.#options.protocol.createDecoder(response),
      onBroken: (error) => this.report(error, { model }),
    });
    const cancelTimer = this.#limitStart(request, { exchange, reader });
    try {
      await reader.waitForStart();
    } catch (error) {
      // An error event before any usage is a rejection despite status 200, and is not billed.
      const isRejection = error instanceof ProviderError && error.reportedByProvider &&
        !usage.hasReport;
      if (!isRejection) reportUsage();
      throw error;
    } finally {
      cancelTimer();
    }
    this.#options.onSuccess?.(model);
    return reader;
  }

  /** Ends a response whose first event does not come within the model's own time. */
  #limitStart(
    { responseMs }: ModelRequest,
    { exchange, reader }: { exchange: HttpExchange; reader: ResponseReader },
  ): () => void {
    if (responseMs === undefined || reader.hasEvent) return () => {};
    const leftMs = exchange.startedAt + responseMs - exchange.respondedAt;
    return setTimer(this.#options.runtime, Math.max(0, leftMs), () => {
      if (reader.hasEvent) return;
      const message = "the model provider did not begin its answer in time";
      exchange.destroy(new ProviderError("provider_timeout", message));
    });
  }

  /** Opens a response that is an event stream. */
  async #openStream(
    post: ProviderRequest,
    { onUnusable, ...options }: {
      signal: AbortSignal;
      responseMs: number | undefined;
      onAbandoned: () => void;
      /** Called with a whole answer that is not a stream; it is billed. */
      onUnusable: (text: string) => void;
    },
  ): Promise<HttpExchange> {
    const { exchange, response } = await this.open(post, options);
    const { "content-type": type = "", "content-encoding": coding = "identity" } = response.headers;
    if (!/json|html/i.test(type) && coding === "identity") return exchange;
    const text = await readErrorBody(exchange, this.#options.runtime);
    const isJson = /json/i.test(type);
    const error = describeJsonError(text);
    if (isJson && error === "") onUnusable(text);
    options.signal.throwIfAborted();
    // JSON may contain the model's output, which is not logged.
    const errorBody = isJson ? `${type} of ${text.length} characters${error}` : text;
    const message = "the model provider answered no stream";
    throw new ProviderError("provider_error", message, { errorBody });
  }
}

/** The response for a prompt that a filter blocked before the model; it is not billed. */
const FILTERED_RESPONSE: ModelStream = {
  read: (onEvent) => {
    onEvent({ type: "usage", inputTokens: 0, outputTokens: 0 });
    onEvent({ type: "end", reason: "content_filter" });
    return Promise.resolve();
  },
};
