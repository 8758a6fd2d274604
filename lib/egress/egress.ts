import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Runtime } from "../platform/runtime.ts";
import { checkTarget, type TargetRejection, type TargetRules } from "./check_target.ts";
import { Deadline } from "./deadline.ts";
import { EgressAllowlist } from "./egress_allowlist.ts";
import { type EgressCall, EgressError, toEgressError } from "./egress_error.ts";
import { concatBytes } from "./coalesce_chunks.ts";
import { HopRecorder } from "./hop_recorder.ts";
import { type Hop, nextHop } from "./next_hop.ts";
import { outgoingHeaders } from "./outgoing_headers.ts";
import { decodeBody } from "./decode_body.ts";
import { type Resolver, systemResolver } from "./resolve_host.ts";
import { type Dial, type HopResponse, sendHop } from "./send_hop.ts";

const MAX_REDIRECTS = 5;
/** More than a lookup usually takes, so that refusals of one kind look alike. */
const REJECTION_MS = 1_000;

/** One call that a tool wants made. */
export interface EgressRequest {
  /** The calling tenant: entries of `EGRESS_ALLOW` may be bound to one. */
  tenant: string;
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array | undefined;
  /** Normalised entries; every hop must match one. */
  allowedDomains: readonly string[];
  /** For all of it: lookup, redirects and body. */
  timeoutMs: number;
  /** Of the body, decoded. */
  maxResponseBytes: number;
  signal: AbortSignal;
  /** Redirects that are followed, 5 unless said; the next one is answered as it is at 0. */
  maxRedirects?: number;
  /** Whether a text holds a secret that must not go to another host. */
  containsSecret?: (text: string) => boolean;
  /** Is told of each hop once it is over. */
  onCall?: (call: EgressCall) => void;
}

/** What came back. The body is read once, to its end or until `close`; it throws `EgressError`. */
export interface EgressResponse {
  status: number;
  headers: Readonly<IncomingHttpHeaders>;
  body: AsyncGenerator<Uint8Array>;
  /** Drops what was not read, and the connection with it. */
  close(): void;
}

export interface EgressOptions {
  /** Entries of `EGRESS_ALLOW`. */
  allow?: readonly string[];
  runtime: Pick<Runtime, "now" | "sleep">;
  resolver?: Resolver;
  dial?: Dial;
  /** Receives the reason why a host was blocked, which the caller does not see. */
  onRejected?: (refusal: TargetRejection) => void;
  /** The refusal of a name takes a whole multiple of this, a second by default. */
  rejectionMs?: number;
  /** Certificate authorities instead of the machine's own, PEM. */
  ca?: string;
}

/** The one way out for everything a tool may reach. */
export class Egress {
  #runtime: Pick<Runtime, "now" | "sleep">;
  #rules: Pick<TargetRules, "allow" | "onRejected" | "rejectionMs" | "resolver" | "runtime">;
  #dial: Dial;
  #ca: string | undefined;

  constructor(options: EgressOptions) {
    this.#runtime = options.runtime;
    this.#rules = {
      allow: new EgressAllowlist(options.allow ?? []),
      onRejected: options.onRejected ?? (() => {}),
      rejectionMs: options.rejectionMs ?? REJECTION_MS,
      resolver: options.resolver ?? systemResolver,
      runtime: options.runtime,
    };
    this.#dial = options.dial ?? ((target) => target);
    this.#ca = options.ca;
  }

  /** Sends a call and follows its redirects, each checked anew. Throws `EgressError`. */
  async open(request: EgressRequest): Promise<EgressResponse> {
    const deadline = new Deadline(this.#runtime, request);
    const { method, url, headers, body } = request;
    let hop: Hop = { method, url: new URL(url), headers: outgoingHeaders(headers, body), body };
    const most = request.maxRedirects ?? MAX_REDIRECTS;
    try {
      for (let n = 0;; n++) {
        const record = this.#createRecorder(hop, { request, n });
        const answer = await this.#send(hop, { request, signal: deadline.signal, record });
        const { message } = answer;
        const next = most === 0 ? undefined : followRedirect(hop, { message, request, record });
        if (next === undefined) return toResponse(answer, { request, deadline, record });
        record.end();
        if (n === most) throw new EgressError("tool_unreachable", `more than ${most} redirects`);
        hop = { ...next, headers: outgoingHeaders(next.headers, next.body) };
      }
    } catch (error) {
      deadline.clear();
      throw error;
    }
  }

  /** As `open`, with the body read: an answer that is not 2xx is cut at the bound, not refused. */
  async fetch(request: EgressRequest): Promise<FetchedResponse> {
    const { status, headers, body, close } = await this.open(request);
    const chunks: Uint8Array[] = [];
    let truncated = false;
    try {
      for await (const chunk of body) chunks.push(chunk);
    } catch (error) {
      const isLong = error instanceof EgressError && error.code === "tool_response_too_large";
      // Only an excerpt of a failure is ever shown.
      if (!isLong || (status >= 200 && status < 300)) throw error;
      truncated = true;
    } finally {
      close();
    }
    return { status, headers, body: concatBytes(chunks), truncated };
  }

  #createRecorder(hop: Hop, { request, n }: { request: EgressRequest; n: number }): HopRecorder {
    const { now } = this.#runtime;
    return new HopRecorder({ ...hop, hop: n }, { now: () => now(), onCall: request.onCall });
  }

  /** Checks one hop and sends it; a failure is recorded. */
  async #send(
    hop: Hop,
    { request, signal, record }: {
      request: EgressRequest;
      signal: AbortSignal;
      record: HopRecorder;
    },
  ): Promise<HopResponse> {
    try {
      signal.throwIfAborted();
      const { allowedDomains, tenant } = request;
      const rules = { ...this.#rules, allowedDomains, tenant, signal };
      const addresses = await checkTarget(hop.url, rules);
      record.address = addresses[0];
      const { maxResponseBytes } = request;
      const parts = { ...hop, addresses, maxResponseBytes, signal, dial: this.#dial, ca: this.#ca };
      const answer = await sendHop(parts);
      record.address = answer.address;
      record.status = answer.message.statusCode;
      return answer;
    } catch (cause) {
      throw recordFailure(cause, { signal, record });
    }
  }
}

/** The hop a redirect asks for; the connection it came on is given up. */
function followRedirect(
  hop: Hop,
  { message, request, record }: {
    message: IncomingMessage;
    request: EgressRequest;
    record: HopRecorder;
  },
): Hop | undefined {
  const { statusCode: status = 0, headers: { location } } = message;
  try {
    const next = nextHop(hop, { status, location }, request.containsSecret ?? (() => false));
    if (next !== undefined) message.destroy();
    return next;
  } catch (error) {
    message.destroy();
    record.end(error instanceof Error ? error.message : undefined);
    throw error;
  }
}

function toResponse(
  { message, body: wire }: HopResponse,
  { request, deadline, record }: {
    request: EgressRequest;
    deadline: Deadline;
    record: HopRecorder;
  },
): EgressResponse {
  const { signal } = deadline;
  const close = () => {
    deadline.clear();
    message.destroy();
    record.end();
  };
  // A body that nobody reads any more still ends with the call's time.
  signal.addEventListener("abort", () => record.end(signal.reason.message), { once: true });
  async function* body(): AsyncGenerator<Uint8Array> {
    const seen = (bytes: number) => record.bytes += bytes;
    const encoded = { body: wire, encoding: message.headers["content-encoding"] };
    try {
      yield* decodeBody(encoded, { maxBytes: request.maxResponseBytes, seen });
    } catch (cause) {
      throw recordFailure(cause, { signal, record });
    } finally {
      close();
    }
  }
  return { status: message.statusCode ?? 0, headers: message.headers, body: body(), close };
}

/** An answer whose body has been read. */
export interface FetchedResponse {
  status: number;
  headers: Readonly<IncomingHttpHeaders>;
  body: Uint8Array;
  /** The body goes on; only ever so when the status is not 2xx. */
  truncated: boolean;
}

/** An abort looks like a broken socket: what ended the call is the signal's to say. */
function recordFailure(
  cause: unknown,
  { signal, record }: { signal: AbortSignal; record: HopRecorder },
): EgressError {
  const error = toEgressError(signal.aborted ? signal.reason : cause, record.host);
  record.end(error.message);
  return error;
}
