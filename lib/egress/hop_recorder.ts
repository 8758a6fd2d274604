import type { EgressCall } from "./egress_error.ts";

/** Gathers what the ledger says of one hop, and says it once, however the hop ends. */
export class HopRecorder {
  address: string | undefined;
  status: number | undefined;
  bytes = 0;
  readonly host: string;
  #method: string;
  #hop: number;
  #startedAt: number;
  #now: () => number;
  #record: ((call: EgressCall) => void) | undefined;

  constructor(
    target: { url: URL; method: string; hop: number },
    parts: { now: () => number; onCall: ((call: EgressCall) => void) | undefined },
  ) {
    this.host = target.url.host;
    this.#method = target.method;
    this.#hop = target.hop;
    this.#now = parts.now;
    this.#record = parts.onCall;
    this.#startedAt = parts.now();
  }

  /** Only the first call counts; `refused` says why the hop failed, when it did. */
  end(refused?: string): void {
    this.#record?.({
      host: this.host,
      ...(this.address === undefined ? {} : { address: this.address }),
      method: this.#method,
      ...(this.status === undefined ? {} : { status: this.status }),
      bytes: this.bytes,
      // The clock may have been set back meanwhile.
      ms: Math.max(0, this.#now() - this.#startedAt),
      ...(refused === undefined ? {} : { refused }),
      hop: this.#hop,
    });
    this.#record = undefined;
  }
}
