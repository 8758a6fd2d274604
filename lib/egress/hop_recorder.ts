import type { EgressCall } from "./egress_error.ts";

/** Collects the facts of one hop and reports them once, however the hop ends. */
export class HopRecorder {
  address: string | undefined;
  status: number | undefined;
  bytes = 0;
  readonly host: string;
  #hop: Pick<EgressCall, "host" | "method" | "hop">;
  #startedAt: number;
  #now: () => number;
  #onCall: ((call: EgressCall) => void) | undefined;

  constructor(
    { url, method, hop }: { url: URL; method: string; hop: number },
    options: { now: () => number; onCall: ((call: EgressCall) => void) | undefined },
  ) {
    this.host = url.host;
    this.#hop = { host: url.host, method, hop };
    this.#now = options.now;
    this.#onCall = options.onCall;
    this.#startedAt = this.#now();
  }

  /** Reports the hop, with the reason if it failed; later calls do nothing. */
  end(refused?: string): void {
    this.#onCall?.({
      ...this.#hop,
      ...this.address !== undefined && { address: this.address },
      ...this.status !== undefined && { status: this.status },
      bytes: this.bytes,
      // The clock may have been set back.
      ms: Math.max(0, this.#now() - this.#startedAt),
      ...refused !== undefined && { refused },
    });
    this.#onCall = undefined;
  }
}
