import type { System } from "../system.ts";
import { LEASE_MS } from "./ledger.ts";

/** Three beats fit into a lease, so that one that is late or lost costs nothing. */
export const HEARTBEAT_MS = LEASE_MS / 3;

/** Beats every 10 s while it is needed. */
export class Heartbeat {
  #system: System;
  #beat: () => Promise<void>;
  #beating: AbortController | undefined;

  constructor(system: System, beat: () => Promise<void>) {
    this.#system = system;
    this.#beat = beat;
  }

  start(): void {
    if (this.#beating !== undefined) return;
    this.#beating = new AbortController();
    this.#next(this.#beating.signal);
  }

  stop(): void {
    this.#beating?.abort();
    this.#beating = undefined;
  }

  #next(signal: AbortSignal): void {
    this.#system.sleep(HEARTBEAT_MS, signal).then(async () => {
      // A beat that fails is made up for by the next: a lease lasts three of them.
      await this.#beat().catch(() => {});
      if (!signal.aborted) this.#next(signal);
    }, () => {});
  }
}
