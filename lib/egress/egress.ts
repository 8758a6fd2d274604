import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { concatBytes } from "../platform/bytes.ts";
import type { Runtime } from "../platform/runtime.ts";
import { checkTarget, type TargetRejection, type TargetRules } from "./check_target.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import { decodeBody } from "./decode_body.ts";
import { EgressAllowlist } from "./egress_allowlist.ts";
import { type EgressCall, EgressError, toEgressError } from "./egress_error.ts";
import { HopRecorder } from "./hop_recorder.ts";
import { type Hop, redirectRequest } from "./redirect_request.ts";
import { outgoingHeaders } from "./outgoing_headers.ts";
import { type Resolver, systemResolver } from "./resolve_host.ts";
import { type Dial, type HopResponse, type OnRequest, sendHop } from "./send_hop.ts";

const MAX_REDIRECTS = 5;
/** Longer than most lookups, so that rejections of a kind take the same time. */
const REJECTION_MS = 1_000;

export interface EgressRequest {
  /** The calling tenant: entries of `EGRESS_ALLOW` may be bound to one. */
  tenant: string;
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array | undefined;
  /** Normalised entries; every hop must match one. */
  allowedDomains: readonly string[];
  /** For the whole call: lookups, redirects and body. */
  timeoutMs: number;
  /** Of the decoded body. */
  maxResponseBytes: number;
  signal: AbortSignal;
  /** 5 by default; at 0 a redirect is returned as the response. */
  maxRedirects?: number;
  /** Whether a text holds a secret that must not reach another host. */
  containsSecret?: (text: string) => boolean;
  onCall?: (call: EgressCall) => void;
}

/** The body is read once, to its end or until `close`; reading it throws `EgressError`. */
export interface EgressResponse {
  status: number;
  headers: Readonly<IncomingHttpHeaders>;
  body: AsyncGenerator<Uint8Array>;
  close(): void;
}

interface FetchedResponse extends Pick<EgressResponse, "status" | "headers"> {
  body: Uint8Array;
  /** Whether the body was longer; possible only if the status is not 2xx. */
  truncated: boolean;
}

interface EgressOptions {
  allow?: readonly string[];
  runtime: Pick<Runtime, "now" | "sleep">;
  resolver?: Resolver;
  dial?: Dial;
  /** Receives the reason of a rejection, which the caller does not see. */
  onRejected?: (rejection: TargetRejection) => void;
  /** Rejections of host names take a multiple of this; a second by default. */
  rejectionMs?: number;
  /** Certificate authorities that replace the system's, PEM. */
  ca?: string;
  /** Called with each request before it is sent. */
  onRequest?: OnRequest | undefined;
}

type Call = { request: EgressRequest; deadline: Deadline; recorder: HopRecorder; isFirst: boolean };

/** The one way out for everything that tools, the doctor and crawls fetch. */
export class Egress {
  #runtime: Pick<Runtime, "now" | "sleep">;
  #rules: Pick<TargetRules, "allow" | "onRejected" | "rejectionMs" | "resolver" | "runtime">;
  #dial: Dial;
  #ca: string | undefined;
  #onRequest: OnRequest | undefined;

  constructor({ allow = [], runtime, ca, ...options }: EgressOptions) {
    this.#runtime = runtime;
    this.#rules = {
      allow: new EgressAllowlist(allow),
      onRejected: options.onRejected ?? (() => {}),
      rejectionMs: options.rejectionMs ?? REJECTION_MS,
      resolver: options.resolver ?? systemResolver,
      runtime,
    };
    this.#dial = options.dial ?? ((target) => target);
    this.#ca = ca;
    this.#onRequest = options.onRequest;
  }

  /** Sends a request and follows its redirects, checking the target of each. Throws `EgressError`. */
  async open(request: EgressRequest): Promise<EgressResponse> {
    const deadline = startDeadline(this.#runtime, request);
    const { method, url, headers, body, onCall, maxRedirects = MAX_REDIRECTS } = request;
    let hop: Hop = { method, url: new URL(url), headers: outgoingHeaders(headers, body), body };
    try {
      for (let n = 0;; n++) {
        const now = () => this.#runtime.now();
        const recorder = new HopRecorder({ ...hop, hop: n }, { now, onCall });
        const call = { request, deadline, recorder, isFirst: n === 0 };
        const response = await this.#send(hop, call);
        const next = maxRedirects === 0 ? undefined : followRedirect(hop, response.message, call);
        if (next === undefined) return toResponse(response, call);
        recorder.end();
        if (n === maxRedirects) {
          throw new EgressError("tool_unreachable", `more than ${maxRedirects} redirects`);
        }
        hop = { ...next, headers: outgoingHeaders(next.headers, next.body) };
      }
    } catch (error) {
      deadline.clear();
      throw error;
    }
  }

  /** As `open`, and reads the body. It is truncated at the limit if the status is not 2xx. */
  async fetch(request: EgressRequest): Promise<FetchedResponse> {
    const { status, headers, body, close } = await this.open(request);
    const chunks: Uint8Array[] = [];
    let truncated = false;
    try {
      for await (const chunk of body) chunks.push(chunk);
    } catch (error) {
      const tooLarge = error instanceof EgressError && error.code === "tool_response_too_large";
      // Callers show only an excerpt of a failure.
      if (!tooLarge || (status >= 200 && status < 300)) throw error;
      truncated = true;
    } finally {
      close();
    }
    return { status, headers, body: concatBytes(chunks), truncated };
  }

  async #send(
    hop: Hop,
    { request, deadline: { signal }, recorder, isFirst }: Call,
  ): Promise<HopResponse> {
    try {
      signal.throwIfAborted();
      const { allowedDomains, tenant, maxResponseBytes } = request;
      const rules = { ...this.#rules, allowedDomains, tenant, signal };
      const addresses = await checkTarget(hop.url, rules);
      recorder.address = addresses[0];
      const connection = {
        ...{ addresses, maxResponseBytes, signal, dial: this.#dial, ca: this.#ca },
        onRequest: this.#onRequest,
      };
      const response = await sendHop({ ...hop, ...connection });
      recorder.address = response.address;
      recorder.status = response.message.statusCode;
      return response;
    } catch (cause) {
      throw recordFailure(cause, { signal, recorder, isFirst });
    }
  }
}

/** The next hop of a redirect, whose connection is dropped; `undefined` for any other response. */
function followRedirect(
  hop: Hop,
  message: IncomingMessage,
  { request, recorder }: Call,
): Hop | undefined {
  const { statusCode: status = 0, headers: { location } } = message;
  try {
    const next = redirectRequest(
      hop,
      { status, location },
      request.containsSecret ?? (() => false),
    );
    if (next !== undefined) message.destroy();
    return next;
  } catch (error) {
    message.destroy();
    recorder.end(error instanceof Error ? error.message : undefined);
    throw error;
  }
}

function toResponse(
  { message, body: wire }: HopResponse,
  { request, deadline, recorder }: Call,
): EgressResponse {
  const { signal } = deadline;
  const close = () => {
    deadline.clear();
    message.destroy();
    recorder.end();
  };
  // Reports the hop at the deadline even if the body is not being read.
  signal.addEventListener("abort", () => recorder.end(signal.reason.message), { once: true });
  async function* body(): AsyncGenerator<Uint8Array> {
    const seen = (bytes: number) => recorder.bytes += bytes;
    const encoded = { body: wire, encoding: message.headers["content-encoding"] };
    try {
      yield* decodeBody(encoded, { maxBytes: request.maxResponseBytes, seen });
    } catch (cause) {
      throw recordFailure(cause, { signal, recorder });
    } finally {
      close();
    }
  }
  return { status: message.statusCode ?? 0, headers: message.headers, body: body(), close };
}

/** An abort looks like a broken socket, so the signal's reason takes precedence. */
function recordFailure(
  cause: unknown,
  { signal, recorder, isFirst = false }: {
    signal: AbortSignal;
    recorder: HopRecorder;
    isFirst?: boolean;
  },
): EgressError {
  const error = toEgressError(signal.aborted ? signal.reason : cause, recorder.host, { isFirst });
  recorder.end(error.message);
  return error;
}
