import { LRUCache } from "lru-cache";
import type { ProviderId } from "../schemas/provider_id.ts";
import type { ProviderFailure } from "./provider_failure.ts";

/** The state of a connection in this process; times in milliseconds since the epoch. */
export interface ConnectionHealth {
  lastSuccessAt?: number;
  lastFailure?: { at: number; model: string; code: ProviderFailure["code"]; status?: number };
}

/** The latest requests to one model. */
export interface RecentOutcomes {
  attempts: number;
  failures: number;
  isFailing: boolean;
}

/** How far `recent` looks back. */
export const HEALTH_WINDOW_MS = 5 * 60_000;
/** From this many requests on, the share of failures decides. */
const MIN_ATTEMPTS = 5;
const FAILING_SHARE = 0.2;
/** Failures in a row that are enough, and successes in a row that end a failure. */
const IN_A_ROW = 3;
const MAX_MODELS = 200;
const MAX_OUTCOMES = 200;

/** Records the outcomes of requests to each connection and model since this process started. */
export class ProviderHealth {
  readonly #now: () => number;
  readonly #connections = new Map<ProviderId, ConnectionHealth>();
  /** Oldest first, by connection and model. */
  readonly #outcomes = new LRUCache<string, { at: number; ok: boolean }[]>({ max: MAX_MODELS });

  constructor(now: () => number) {
    this.#now = now;
  }

  recordSuccess(provider: ProviderId, model: string): void {
    const lastSuccessAt = this.#now();
    this.#connections.set(provider, { ...this.get(provider), lastSuccessAt });
    this.#record(provider, model, true);
  }

  /** A failure without `attempt` is that of an answer whose start was recorded as a success. */
  recordFailure({ vendor, model, code, status, attempt }: ProviderFailure): void {
    const lastFailure = {
      at: this.#now(),
      model,
      code,
      ...(status === undefined ? {} : { status }),
    };
    this.#connections.set(vendor, { ...this.get(vendor), lastFailure });
    if (attempt === undefined) {
      const outcomes = this.#outcomes.get(`${vendor}/${model}`) ?? [];
      const begun = outcomes.findLastIndex(({ ok }) => ok);
      if (begun >= 0) outcomes.splice(begun, 1);
    }
    this.#record(vendor, model, false);
  }

  get(provider: ProviderId): ConnectionHealth {
    return this.#connections.get(provider) ?? {};
  }

  /**
   * The last five minutes of a model; `undefined` without a request. It is failing if a fifth of at
   * least five requests failed, or the last three; three successes in a row end that.
   */
  recent(provider: ProviderId, model: string): RecentOutcomes | undefined {
    const since = this.#now() - HEALTH_WINDOW_MS;
    const outcomes = (this.#outcomes.get(`${provider}/${model}`) ?? [])
      .filter(({ at }) => at > since);
    if (outcomes.length === 0) return undefined;
    const [attempts, failures] = [outcomes.length, outcomes.filter(({ ok }) => !ok).length];
    const last = outcomes.slice(-IN_A_ROW);
    const share = attempts < MIN_ATTEMPTS ? 0 : failures / attempts;
    const hasRecovered = last.length === IN_A_ROW && last.every(({ ok }) => ok);
    const isFailing = !hasRecovered && (share >= FAILING_SHARE || last.every(({ ok }) => !ok));
    return { attempts, failures, isFailing };
  }

  /** The last five minutes of a connection's models together; it is failing if one of them is. */
  recentOfConnection(provider: ProviderId): RecentOutcomes {
    const sum: RecentOutcomes = { attempts: 0, failures: 0, isFailing: false };
    for (const name of this.#outcomes.keys()) {
      if (!name.startsWith(`${provider}/`)) continue;
      const recent = this.recent(provider, name.slice(provider.length + 1));
      sum.attempts += recent?.attempts ?? 0;
      sum.failures += recent?.failures ?? 0;
      sum.isFailing ||= recent?.isFailing === true;
    }
    return sum;
  }

  #record(provider: ProviderId, model: string, ok: boolean): void {
    const name = `${provider}/${model}`;
    const outcomes = this.#outcomes.get(name) ?? [];
    outcomes.push({ at: this.#now(), ok });
    if (outcomes.length > MAX_OUTCOMES) outcomes.splice(0, outcomes.length - MAX_OUTCOMES);
    this.#outcomes.set(name, outcomes);
  }
}
