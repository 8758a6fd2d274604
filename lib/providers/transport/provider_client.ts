import type { Runtime } from "../../platform/runtime.ts";
import { FIELD_BOUNDS } from "../../schemas/limits.ts";
import type { ProviderId } from "../../schemas/provider_id.ts";
import { isKeyFailure, type KeyCounts, KeyRing, type RingKey } from "../key_ring.ts";
import { ProviderError } from "../provider_error.ts";
import { describeFailure, type ProviderFailure } from "../provider_failure.ts";
import { ConnectionPool, type ProviderRequest } from "./connection_pool.ts";
import { HttpExchange, type ProviderTimeouts } from "./http_exchange.ts";
import type { ResponseHead } from "./http_response_parser.ts";
import { readErrorBody } from "./read_body.ts";
import { retryAfterMs } from "./retry_after.ts";

/** A provider may reason silently during its response, so only the run's own time limits that. */
const DEFAULT_TIMEOUTS: ProviderTimeouts = {
  connectMs: 10_000,
  responseMs: 60_000,
  idleMs: FIELD_BOUNDS.maxWallClockMs,
};

const MAX_RETRIES = 2;
const BASE_DELAY_MS = 250;
/** Limit for a requested delay if there is no deadline. */
const MAX_DELAY_MS = 10_000;

export interface ProviderClientOptions {
  provider: ProviderId;
  baseUrl: string;
  /** One API key or several, as in `parseApiKeys`. */
  apiKey: string;
  runtime: Runtime;
  timeouts?: Partial<ProviderTimeouts> | undefined;
  /** Called for every failure, also if a retry succeeds. */
  onFailure: (failure: ProviderFailure) => void;
}

export interface RetryOptions {
  model: string;
  signal: AbortSignal;
  /** Milliseconds since the epoch. */
  deadline?: number | undefined;
  /** Limit for a delay, in milliseconds. */
  maxRetryWaitMs?: number | undefined;
  /** Called before a delay; returns whether to retry. */
  beforeRetry?: () => Promise<boolean>;
}

/** A client of one provider with its own connections, retries and failure reports. */
export abstract class ProviderClient {
  readonly #options: ProviderClientOptions;
  readonly #timeouts: ProviderTimeouts;
  readonly #pool: ConnectionPool;
  readonly #keys: KeyRing;
  /** Of the key that a request failed with, if there are several. */
  readonly #keyNumbers = new WeakMap<ProviderError, number>();

  constructor(options: ProviderClientOptions) {
    this.#options = options;
    this.#timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    this.#pool = new ConnectionPool(options.baseUrl);
    this.#keys = new KeyRing(options.apiKey, () => options.runtime.now());
  }

  /**
   * Repeats `attempt` up to twice after failures that may be temporary. If the delay is too long, throws
   * immediately, so that a fallback can be tried.
   */
  protected async retry<T>(
    attempt: (n: number) => Promise<T>,
    options: RetryOptions,
  ): Promise<T> {
    const { runtime } = this.#options;
    for (let n = 1;; n++) {
      options.signal.throwIfAborted();
      try {
        return await attempt(n);
      } catch (error) {
        this.report(error, { model: options.model, attempt: n });
        if (!(error instanceof ProviderError) || error.retry === "no" || n > MAX_RETRIES) {
          throw error;
        }
        const delay = retryDelay(error, { n, runtime });
        if (!isWithinLimits(delay, { ...options, now: runtime.now() })) throw error;
        if (await options.beforeRetry?.() === false) throw error;
        if (delay > 0) await runtime.sleep(delay, options.signal);
      }
    }
  }

  /**
   * Calls `send` with the API key of a conversation. If the provider rejects or limits that key, it rests,
   * and the next one is tried at once, unless the failed attempt may be billed: then it is left to
   * `retry`, which reserves the cost of another.
   */
  protected async withKey<T>(
    send: (apiKey: string) => Promise<T>,
    { model, attempt, affinity = "", isBilled = () => false }: {
      model: string;
      attempt: number;
      affinity?: string;
      isBilled?: () => boolean;
    },
  ): Promise<T> {
    const tried = new Set<RingKey>();
    let chosen = this.#keys.choose(affinity)!;
    for (;;) {
      try {
        return await send(chosen.key);
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        if (this.#keys.size > 1) this.#keyNumbers.set(error, chosen.number);
        if (!isKeyFailure(error)) throw error;
        this.#keys.rest(chosen, error);
        const next = isBilled() ? undefined : this.#keys.choose(affinity, tried.add(chosen));
        if (next === undefined) throw error;
        this.report(error, { model, attempt });
        chosen = next;
      }
    }
  }

  /**
   * Sends a request and waits for the headers of a response with status 200; throws a `ProviderError`
   * for any other. `onAbandoned` is called if we disconnect before a response.
   */
  protected async open(
    post: ProviderRequest,
    { signal, onAbandoned, responseMs }: {
      signal: AbortSignal;
      onAbandoned?: () => void;
      /** Milliseconds until the headers, instead of the default. */
      responseMs?: number | undefined;
    },
  ): Promise<{ exchange: HttpExchange; response: ResponseHead }> {
    const { runtime } = this.#options;
    const exchange = this.#send(post, { signal, responseMs });
    const response = await exchange.head.catch((error) => {
      if (exchange.abandoned) onAbandoned?.();
      throw error;
    });
    if (response.status === 200) return { exchange, response };
    const errorBody = await readErrorBody(exchange, runtime);
    signal.throwIfAborted();
    const header = (name: string) => response.headers[name];
    const after = retryAfterMs({ header, errorBody, now: runtime.now() });
    throw toProviderError({ status: response.status, errorBody, retryAfterMs: after });
  }

  #send(
    post: ProviderRequest,
    { signal, responseMs }: { signal: AbortSignal; responseMs: number | undefined },
  ): HttpExchange {
    const { runtime } = this.#options;
    const timeouts = { ...this.#timeouts, ...responseMs !== undefined && { responseMs } };
    try {
      return new HttpExchange({ pool: this.#pool, post, runtime, signal, ...timeouts });
    } catch (cause) {
      // The operator's API key contains characters that headers do not allow.
      const message = "the API key contains characters that a header cannot hold";
      throw new ProviderError("provider_error", message, { cause });
    }
  }

  get keyCounts(): KeyCounts {
    return this.#keys.counts;
  }

  /** Reports a `ProviderError`; ignores other errors. */
  protected report(
    error: unknown,
    facts: { model: string; attempt?: number },
  ): void {
    if (!(error instanceof ProviderError)) return;
    const { provider, onFailure } = this.#options;
    const key = this.#keyNumbers.get(error);
    onFailure(describeFailure(error, { provider, ...facts, key, apiKeys: this.#keys.secrets }));
  }

  /** Closes each connection once it is idle; responses that still stream continue. */
  retire(): void {
    this.#pool.retire();
  }

  /** Closes all connections; responses that still stream break off. */
  close(): void {
    this.#pool.close();
  }
}

function retryDelay(
  error: ProviderError,
  { n, runtime }: { n: number; runtime: Pick<Runtime, "randomBytes"> },
): number {
  // Only the first attempt can meet a reused connection that was closed.
  if (error.retry === "now" && n === 1) return 0;
  const backoff = BASE_DELAY_MS * 2 ** (n - 1);
  // Jitter from 0.5 to 1.5 spreads callers that failed together.
  const jittered = Math.round(backoff * (0.5 + (runtime.randomBytes(1)[0] ?? 0) / 256));
  return error.retryAfterMs === undefined ? jittered : error.retryAfterMs + jittered - backoff / 2;
}

function isWithinLimits(
  delay: number,
  { deadline, maxRetryWaitMs = Infinity, now }: RetryOptions & { now: number },
): boolean {
  if (delay > maxRetryWaitMs) return false;
  return deadline === undefined ? delay <= MAX_DELAY_MS : now + delay < deadline;
}

function toProviderError(
  details: { status: number; errorBody: string; retryAfterMs: number | undefined },
): ProviderError {
  const { status, errorBody } = details;
  if (status === 429) {
    // Some providers also use 429 for an empty account, which no delay refills.
    const retry = /insufficient_quota|billing_hard_limit/.test(errorBody) ? "no" : "later";
    const message = "the model provider is over its rate limit";
    return new ProviderError("provider_rate_limited", message, { ...details, retry });
  }
  if (status === 408 || status === 504) {
    const message = `the model provider timed out (${status})`;
    return new ProviderError("provider_timeout", message, { ...details, retry: "later" });
  }
  const reason = STATUS_MESSAGES[status] ?? "answered with an error";
  const retry = status >= 500 ? "later" : "no";
  const message = `the model provider ${reason} (${status})`;
  return new ProviderError("provider_error", message, { ...details, retry });
}

const STATUS_MESSAGES: Readonly<Record<number, string>> = {
  400: "did not accept the request",
  401: "did not accept the API key",
  402: "reports an empty account",
  403: "did not accept the API key",
  404: "does not know the model",
  413: "found the request too large",
  422: "did not accept the request",
  503: "is overloaded",
  529: "is overloaded",
};

const encoder = new TextEncoder();

/**
 * Encodes a body as JSON. Lone surrogates, which a tool may return, are replaced, because providers
 * reject their escapes.
 */
export function encodeJsonBody(body: unknown): Uint8Array {
  const json = JSON.stringify(body);
  if (!json.includes("\\ud")) return encoder.encode(json);
  return encoder.encode(JSON.stringify(
    body,
    (_key, value) => typeof value === "string" ? value.toWellFormed() : value,
  ));
}
