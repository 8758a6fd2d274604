import type { Signer } from "../platform/crypto/signer.ts";
import type { Runtime } from "../platform/runtime.ts";

/** A nonce is accepted in its own period and in the next one: for 2 to 4 minutes. */
export const NONCE_PERIOD_MS = 120_000;

/**
 * The nonces of proofs (RFC 9449, section 8): a keyed hash of the period in which they were issued. No store
 * knows them, and every process with the same secrets accepts them. A nonce proves when a proof was
 * signed, whatever the clock of the signer shows.
 */
export class ProofNonces {
  readonly #signer: Pick<Signer, "sign" | "verifier">;
  readonly #runtime: Pick<Runtime, "now">;

  constructor(signer: Pick<Signer, "sign" | "verifier">, runtime: Pick<Runtime, "now">) {
    this.#signer = signer;
    this.#runtime = runtime;
  }

  /** The nonce of this period. */
  async current(): Promise<string> {
    return await this.#signer.sign(nonceText(this.#period()));
  }

  /** The period in which an acceptable nonce was issued; `undefined` if it is unknown or too old. */
  async periodOf(nonce: string): Promise<number | undefined> {
    const now = this.#period();
    let found: number | undefined;
    // The clock of the process that issued it may be ahead of this one.
    for (const period of [now - 1, now, now + 1]) {
      const isIssuedThen = await this.#signer.verifier(nonceText(period));
      if (isIssuedThen(nonce)) found = period;
    }
    return found;
  }

  #period(): number {
    return Math.floor(this.#runtime.now() / NONCE_PERIOD_MS);
  }
}

/** The prefix keeps a nonce from ever being valid as another signature. */
function nonceText(period: number): string {
  return `dpop-nonce ${period}`;
}
