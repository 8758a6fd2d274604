/** A part of the memory; disposing of it returns it. */
export type MemoryShare = Disposable;

/**
 * A per-process limit on memory that work needs for a while. Work waits for its share in the order in
 * which it asked, so that large shares are not overtaken forever.
 */
export class MemorySemaphore {
  #available: number;
  readonly #total: number;
  #waiting: { bytes: number; admit: () => void }[] = [];

  constructor(bytes: number) {
    this.#total = bytes;
    this.#available = bytes;
  }

  get available(): number {
    return this.#available;
  }

  /** Waits for `bytes`, at most the whole memory. Throws the signal's reason if it is aborted first. */
  async take(bytes: number, signal: AbortSignal): Promise<MemoryShare> {
    signal.throwIfAborted();
    const share = Math.min(bytes, this.#total);
    if (this.#waiting.length > 0 || share > this.#available) await this.#wait(share, signal);
    else this.#available -= share;
    let isReturned = false;
    return {
      [Symbol.dispose]: () => {
        if (isReturned) return;
        isReturned = true;
        this.#available += share;
        this.#admitNext();
      },
    };
  }

  #wait(bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = {
        bytes,
        admit: () => {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      const leave = () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        reject(signal.reason);
        this.#admitNext();
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(waiter);
    });
  }

  #admitNext(): void {
    while (this.#waiting.length > 0 && this.#waiting[0]!.bytes <= this.#available) {
      const next = this.#waiting.shift()!;
      this.#available -= next.bytes;
      next.admit();
    }
  }
}
