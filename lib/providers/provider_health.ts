import { PROVIDER_IDS, type ProviderId } from "../schemas/provider_id.ts";
import type { ProviderFailure } from "./provider_failure.ts";

/** How a slot has been doing in this process; times in milliseconds. */
export interface ConnectionHealth {
  lastSuccessAt?: number;
  lastFailure?: { at: number; model: string; code: ProviderFailure["code"]; status?: number };
  /** Failures since the last answer. */
  failures: number;
}

/** Remembers of each vendor when it last answered and failed: since this process began, and only here. */
export class ProviderHealth {
  readonly #now: () => number;
  readonly #connections = new Map<ProviderId, ConnectionHealth>(
    PROVIDER_IDS.map((v) => [v, { failures: 0 }]),
  );

  constructor(now: () => number) {
    this.#now = now;
  }

  recordSuccess(vendor: ProviderId): void {
    this.#connections.set(vendor, { ...this.get(vendor), lastSuccessAt: this.#now(), failures: 0 });
  }

  recordFailure({ vendor, model, code, status }: ProviderFailure): void {
    const before = this.get(vendor);
    const lastFailure = {
      at: this.#now(),
      model,
      code,
      ...(status === undefined ? {} : { status }),
    };
    this.#connections.set(vendor, { ...before, lastFailure, failures: before.failures + 1 });
  }

  get(vendor: ProviderId): ConnectionHealth {
    return this.#connections.get(vendor) ?? { failures: 0 };
  }
}
