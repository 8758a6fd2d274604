import { parseApiKeys, type WeightedKey } from "../schemas/api_keys.ts";
import type { ProviderError } from "./provider_error.ts";

/** How long a key rests that its provider rejects, or whose account is empty. */
const REJECTED_MS = 10 * 60_000;
/** How long a key rests that is over its rate limit, unless the provider names a time. */
const RATE_LIMITED_MS = 30_000;

export interface RingKey extends WeightedKey {
  /** From 1: the only thing about a key that reports name. */
  number: number;
}

/** How many keys a connection has, and how many do not rest. */
export interface KeyCounts {
  total: number;
  usable: number;
}

/**
 * The API keys of a connection. Each conversation prefers one of them, so that it meets the cache that
 * its earlier messages filled; the weights decide which share of conversations prefers a key. A key that
 * the provider rejects or limits rests, and the conversation's next choice takes over.
 */
export class KeyRing {
  readonly #keys: readonly RingKey[];
  readonly #now: () => number;
  /** When each resting key may be used again, by its number. */
  readonly #restsUntil = new Map<number, number>();

  constructor(text: string, now: () => number) {
    const keys = parseApiKeys(text) ?? [{ key: text, weight: 1 }];
    this.#keys = keys.map((one, n) => ({ ...one, number: n + 1 }));
    this.#now = now;
  }

  get size(): number {
    return this.#keys.length;
  }

  get counts(): KeyCounts {
    const usable = this.#keys.filter((one) => this.#restMs(one) <= 0).length;
    return { total: this.size, usable };
  }

  /** Everything that a report must not contain. */
  get secrets(): readonly string[] {
    return this.#keys.map(({ key }) => key);
  }

  /** The key to try after those in `tried`: a usable one, or before any was tried, the next usable one. */
  choose(affinity: string, tried: ReadonlySet<RingKey> = new Set()): RingKey | undefined {
    const preferred = this.#keys.filter((one) => !tried.has(one))
      .sort((a, b) => preference(affinity, a) - preference(affinity, b));
    const usable = preferred.find((one) => this.#restMs(one) <= 0);
    if (usable !== undefined || tried.size > 0) return usable;
    return preferred.sort((a, b) => this.#restMs(a) - this.#restMs(b))[0];
  }

  /** Lets a key rest; a connection's only key is always used. */
  rest({ number }: RingKey, error: ProviderError): void {
    if (this.size === 1) return;
    const { retry, retryAfterMs } = error;
    // OpenAI reports an empty account as a rate limit that no retry helps against.
    const isRejected = isRejectedKey(error) || retry === "no";
    const ms = isRejected ? REJECTED_MS : Math.min(retryAfterMs ?? RATE_LIMITED_MS, REJECTED_MS);
    this.#restsUntil.set(number, this.#now() + ms);
  }

  #restMs({ number }: RingKey): number {
    const ms = (this.#restsUntil.get(number) ?? 0) - this.#now();
    // The clock was set back: a key must not rest for longer because of it.
    return ms > REJECTED_MS ? 0 : ms;
  }
}

/** Whether another key may succeed where this one failed. */
export function isKeyFailure(error: ProviderError): boolean {
  return error.code === "provider_rate_limited" || isRejectedKey(error);
}

/**
 * How Google rejects a key, and Anthropic one of an empty account, with status 400. Quotes within a
 * quoted prompt are escaped, so only the provider's own fields match.
 */
const REJECTED_KEY =
  /"reason"\s*:\s*"API_KEY_INVALID"|"message"\s*:\s*"Your credit balance is too low/;

/** Whether the provider does not know the key, or its account is empty (402 of many gateways). */
function isRejectedKey({ status, errorBody = "" }: ProviderError): boolean {
  return status === 401 || status === 402 || status === 400 && REJECTED_KEY.test(errorBody);
}

/**
 * Weighted rendezvous hashing, the lowest first: another key's rest changes nothing for conversations
 * that prefer the others.
 */
function preference(affinity: string, { number, weight }: RingKey): number {
  return -Math.log(unitHash(`${affinity} ${number}`)) / weight;
}

/** A number in (0, 1] from FNV-1a, finished as in MurmurHash3. */
function unitHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n++) {
    hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  }
  hash = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
  hash = Math.imul(hash ^ hash >>> 13, 0xc2b2ae35);
  return (((hash ^ hash >>> 16) >>> 0) + 1) / 2 ** 32;
}
