/** Writes some of the bytes and answers how many, as `Deno.stderr.writeSync` does; may throw. */
export type WriteSync = (bytes: Uint8Array) => number;

/**
 * Whole lines to where writing may fail: a pipe whose reader has gone, a full disk, a full pipe that
 * does not block. It never throws, for what is told must not end what tells it. A line that could not
 * be begun is lost and counted; the rest of one that was begun comes before the next, so none is torn.
 */
export class LineWriter {
  #writeSync: WriteSync;
  #pending = new Uint8Array();
  #dropped = 0;

  constructor(sink: WriteSync) {
    this.#writeSync = sink;
  }

  /** `tellLost` is the line that says how many were lost; it comes before the next that is written. */
  write(line: string, tellLost: (lost: number) => string): void {
    this.#pending = this.#send(this.#pending);
    if (this.#pending.length > 0) return void this.#dropped++;
    const text = this.#dropped === 0 ? line : tellLost(this.#dropped) + line;
    const bytes = new TextEncoder().encode(text);
    const rest = this.#send(bytes);
    if (rest.length === bytes.length) return void this.#dropped++;
    this.#pending = rest;
    this.#dropped = 0;
  }

  /** What could not be sent now. */
  #send(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    let at = 0;
    try {
      while (at < bytes.length) {
        const written = this.#writeSync(bytes.subarray(at));
        if (written === 0) break;
        at += written;
      }
    } catch {
      // There is nowhere to tell it; the count does, once something can be written again.
    }
    return bytes.slice(at);
  }
}
