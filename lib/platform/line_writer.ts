/** Writes some of the bytes and returns how many, like `Deno.stderr.writeSync`. May throw. */
export type WriteSync = (bytes: Uint8Array) => number;

/**
 * Writes whole lines to an output that may fail: a closed pipe, a full disk, a full non-blocking pipe.
 * Never throws. A line that cannot be started is dropped and counted; a partially written line is
 * completed before the next.
 */
export class LineWriter {
  #writeSync: WriteSync;
  #pending = new Uint8Array();
  #dropped = 0;

  constructor(writeSync: WriteSync) {
    this.#writeSync = writeSync;
  }

  /** Precedes `line` with `formatDropped(count)` if earlier lines were dropped. */
  write(line: string, formatDropped: (dropped: number) => string): void {
    this.#pending = this.#send(this.#pending);
    if (this.#pending.length > 0) return void this.#dropped++;
    const text = this.#dropped === 0 ? line : formatDropped(this.#dropped) + line;
    const bytes = new TextEncoder().encode(text);
    const rest = this.#send(bytes);
    if (rest.length === bytes.length) return void this.#dropped++;
    this.#pending = rest;
    this.#dropped = 0;
  }

  /** Returns the bytes that could not be written. */
  #send(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    let at = 0;
    try {
      while (at < bytes.length) {
        const written = this.#writeSync(bytes.subarray(at));
        if (written === 0) break;
        at += written;
      }
    } catch {
      // There is no place to report it. The count is reported with the next line.
    }
    return bytes.slice(at);
  }
}
