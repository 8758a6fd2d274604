import type { Runtime } from "../system.ts";
import type { Vendor } from "../wire/vendors.ts";
import { AnswerReader } from "./connection/answer_reader.ts";
import type { Exchange } from "./connection/exchange.ts";
import { openExchange } from "./connection/open_exchange.ts";
import { readRefusal, readWords } from "./connection/read_refusal.ts";
import { VendorConnection, type VendorPost } from "./connection/vendor_connection.ts";
import { VendorFault } from "./connection/vendor_fault.ts";
import { withRetries } from "./connection/with_retries.ts";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import type { Phrasing, Protocol } from "./protocol.ts";
import { saidError } from "./stream_json.ts";
import { Turn } from "./turn.ts";
import { UsageTally } from "./usage_tally.ts";
import { describeFault, type VendorReport } from "./vendor_report.ts";
import { DEFAULT_TIMEOUTS, type VendorTimeouts } from "./vendor_timeouts.ts";

export interface VendorModelOptions {
  vendor: Vendor;
  protocol: Protocol;
  baseUrl: string;
  apiKey: string;
  system: Runtime;
  timeouts?: Partial<VendorTimeouts> | undefined;
  /** Told of every failure, also of one that a retry makes good. */
  report: (event: VendorReport) => void;
  /** Told whenever the vendor has begun to answer. */
  onAnswer?: (() => void) | undefined;
}

/** How many ways one attempt may put its request: each field that a vendor may refuse, once. */
const MAX_PHRASINGS = 4;

const encoder = new TextEncoder();

/** The client of one vendor slot: its protocol over its own kept-alive connections. */
export class VendorModel implements Model {
  readonly #options: VendorModelOptions;
  readonly #timeouts: VendorTimeouts;
  readonly #connection: VendorConnection;
  readonly #headers: Readonly<Record<string, string>>;
  /** Models that have been seen to reason: their hidden output is charged from the request on. */
  readonly #reasoners = new Set<string>();

  constructor(options: VendorModelOptions) {
    this.#options = options;
    this.#timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    this.#connection = new VendorConnection(options.baseUrl);
    this.#headers = options.protocol.headers(options.apiKey);
  }

  stream(request: ModelRequest): Promise<AsyncIterable<ModelEvent>> {
    const { system } = this.#options;
    const { signal, deadline, longestWaitMs } = request;
    let isBilled = false;
    const billed: ModelRequest["billed"] = (usage) => {
      isBilled = true;
      request.billed?.(usage);
    };
    let { maxOutputTokens } = request;
    const again = async () => {
      if (isBilled) maxOutputTokens = await request.again?.() ?? maxOutputTokens;
      isBilled = false;
      return maxOutputTokens > 0;
    };
    const attempt = async (n: number) => {
      try {
        return await this.#attempt({ ...request, maxOutputTokens, billed });
      } catch (error) {
        this.#report(error, { model: request.model, attempt: n });
        throw error;
      }
    };
    return withRetries(attempt, { system, signal, deadline, longestWaitMs, again });
  }

  /** Closes every connection; answers still streaming break off. */
  close(): void {
    this.#connection.close();
  }

  /** Is used no more: answers still streaming go on, and each connection closes when it is free. */
  retire(): void {
    this.#connection.retire();
  }

  async #attempt(request: ModelRequest): Promise<AsyncIterable<ModelEvent>> {
    request.signal.throwIfAborted();
    const { protocol } = this.#options;
    const phrasing = protocol.phrase(request);
    for (let n = 1;; n++) {
      try {
        const answer = await this.#ask(request, phrasing);
        phrasing.accepted?.();
        return answer;
      } catch (error) {
        if (!(error instanceof VendorFault)) throw error;
        if (protocol.filtered?.(error)) return filteredAnswer();
        if (n === MAX_PHRASINGS || !phrasing.rejected?.(error)) throw error;
      }
    }
  }

  async #ask(request: ModelRequest, phrasing: Phrasing): Promise<AsyncIterable<ModelEvent>> {
    const { path } = phrasing;
    const body = encoder.encode(toJson(phrasing.body()));
    const { model, maxOutputTokens, inputBound } = request;
    const requestBytes = body.byteLength;
    const tally = new UsageTally({
      requestBytes,
      maxOutputTokens,
      inputBound,
      now: () => this.#options.system.now(),
      reasons: this.#reasoners.has(model),
      onReasoning: () => this.#reasoners.add(model),
    });
    const bill = () => request.billed?.(tally.total(false));
    const post = { path, headers: this.#headers, body };
    const onWhole = (words: string) => {
      tally.saw(words);
      bill();
    };
    const { signal } = request;
    const exchange = await this.#open(post, { signal, onAbandoned: bill, onWhole });
    tally.begins(exchange.headAt);
    // A run's messages grow with each step, so their number tells its steps apart; where old ones were
    // dropped and it comes again, `withCallIds` does.
    const turn = new Turn(tally, request.messages.length);
    const reader = new AnswerReader({
      exchange,
      turn,
      decoder: this.#options.protocol.decoder(turn),
      onBroken: (fault) => this.#report(fault, { model }),
    });
    try {
      await reader.begun();
    } catch (fault) {
      // A vendor that says no before it has counted anything has refused, whatever its status said.
      const isRefusal = fault instanceof VendorFault && fault.told && !tally.reported;
      if (!isRefusal) bill();
      throw fault;
    }
    this.#options.onAnswer?.();
    return reader.events();
  }

  /** An exchange whose answer is a stream of events. */
  async #open(
    post: VendorPost,
    { signal, onAbandoned, onWhole }: {
      signal: AbortSignal;
      onAbandoned: () => void;
      /** Told of an answer that came whole, and is billed though nobody can use it. */
      onWhole: (words: string) => void;
    },
  ): Promise<Exchange> {
    const { system } = this.#options;
    const connection = this.#connection;
    const exchange = openExchange({ connection, post, system, signal, ...this.#timeouts });
    const response = await exchange.head.catch((error) => {
      if (exchange.abandoned) onAbandoned();
      throw error;
    });
    if (response.statusCode !== 200) {
      const refusal = await readRefusal(exchange, { response, system });
      signal.throwIfAborted();
      throw refusal;
    }
    const { "content-type": type = "", "content-encoding": coding = "identity" } = response.headers;
    if (/json|html/i.test(type) || coding !== "identity") {
      const said = await readWords(exchange, system);
      if (/json/i.test(type) && saidError(said) === "") onWhole(said);
      signal.throwIfAborted();
      const words = wordsOf(type, said);
      throw new VendorFault("provider_error", "the model vendor answered no stream", { words });
    }
    return exchange;
  }

  #report(error: unknown, { model, attempt }: { model: string; attempt?: number }): void {
    if (!(error instanceof VendorFault)) return;
    const { vendor, apiKey, report } = this.#options;
    report(describeFault(error, { vendor, model, attempt, apiKey }));
  }
}

/** What is logged of an answer that is no stream: a JSON text may be all that the model said. */
function wordsOf(type: string, words: string): string {
  return /json/i.test(type) ? `${type} of ${words.length} characters${saidError(words)}` : words;
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
async function* filteredAnswer(): AsyncGenerator<ModelEvent> {
  yield { type: "usage", inputTokens: 0, outputTokens: 0 };
  yield { type: "end", reason: "content_filter" };
}
