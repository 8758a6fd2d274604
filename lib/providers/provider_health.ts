import { PROVIDER_IDS, type ProviderId } from "../schemas/provider_id.ts";
import type { ProviderFailure } from "./provider_failure.ts";

/** The state of a connection in this process; times in milliseconds since the epoch. */
export interface ConnectionHealth {
  lastSuccessAt?: number;
  lastFailure?: { at: number; model: string; code: ProviderFailure["code"]; status?: number };
  /** Failures since the last success. */
  failures: number;
}

/** Records the last success and failure of each connection since this process started. */
export class ProviderHealth {
  readonly #now: () => number;
  readonly #connections = new Map<ProviderId, ConnectionHealth>(
    PROVIDER_IDS.map((provider) => [provider, { failures: 0 }]),
  );

  constructor(now: () => number) {
    this.#now = now;
  }

  recordSuccess(provider: ProviderId): void {
    const lastSuccessAt = this.#now();
    this.#connections.set(provider, { ...this.get(provider), lastSuccessAt, failures: 0 });
  }

  recordFailure({ vendor, model, code, status }: ProviderFailure): void {
    const health = this.get(vendor);
    const lastFailure = {
      at: this.#now(),
      model,
      code,
      ...(status === undefined ? {} : { status }),
    };
    this.#connections.set(vendor, { ...health, lastFailure, failures: health.failures + 1 });
  }

  get(provider: ProviderId): ConnectionHealth {
    return this.#connections.get(provider) ?? { failures: 0 };
  }
}
