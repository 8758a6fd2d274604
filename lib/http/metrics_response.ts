import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
import { type Context, HttpError } from "fresh";
import { METRICS_CONTENT_TYPES, type MetricsFormat } from "../platform/metrics/format_metrics.ts";
import { addressBlock } from "../platform/address_block.ts";
import { sha256 } from "../platform/crypto/signer.ts";
import { SlidingWindowLimiter } from "../platform/sliding_window_limiter.ts";
import type { State } from "../../utils.ts";
import { bearerKey } from "./identify_key.ts";

/** Wrong tokens of one address before it has to wait. The right token is never limited. */
const MAX_WRONG_TOKENS = 10;
const WINDOW_MS = 60_000;

/** Decides who may read `/metrics`. */
export class MetricsAccess {
  readonly #token: string | undefined;
  readonly #wrong = new SlidingWindowLimiter({ limit: MAX_WRONG_TOKENS, windowMs: WINDOW_MS });

  constructor(token: string | undefined) {
    this.#token = token;
  }

  /** False if no token is set, so that the address does not exist. */
  get isOn(): boolean {
    return this.#token !== undefined;
  }

  /** Compares digests, which have one length, in constant time. */
  async isValid(given: string): Promise<boolean> {
    if (this.#token === undefined) return false;
    const [actual, expected] = await Promise.all([sha256(given), sha256(this.#token)]);
    const encoder = new TextEncoder();
    return timingSafeEqual(encoder.encode(actual), encoder.encode(expected));
  }

  /** Counts a wrong token of an address at `now`; milliseconds until its next one is considered. */
  reject(address: string, now: number): number {
    return this.#wrong.take(addressBlock(address), now);
  }
}

const HEADERS = { "cache-control": "no-store", "content-type": "text/plain; charset=utf-8" };

/** The answer of `GET /metrics`. Throws 404 if the installation has no `METRICS_TOKEN`. */
export async function metricsResponse(ctx: Context<State>): Promise<Response> {
  const { service: { metrics, metricsAccess, runtime }, clientAddress } = ctx.state;
  if (!metricsAccess.isOn) throw new HttpError(404);
  const token = bearerKey(ctx.req);
  if (token !== undefined && await metricsAccess.isValid(token)) {
    const format = chooseFormat(ctx.req.headers.get("accept") ?? "");
    const headers = { ...HEADERS, "content-type": METRICS_CONTENT_TYPES[format] };
    return new Response(await metrics.format(format), { headers });
  }
  const waitMs = metricsAccess.reject(clientAddress, runtime.now());
  if (waitMs === 0) {
    const headers = { ...HEADERS, "www-authenticate": 'Bearer realm="metrics"' };
    return new Response("send METRICS_TOKEN as a bearer token\n", { status: 401, headers });
  }
  const headers = { ...HEADERS, "retry-after": String(Math.ceil(waitMs / 1_000)) };
  return new Response("too many wrong tokens\n", { status: 429, headers });
}

/** OpenMetrics for readers that name it, as Prometheus does. */
function chooseFormat(accept: string): MetricsFormat {
  return accept.includes("application/openmetrics-text") ? "openmetrics" : "text";
}
