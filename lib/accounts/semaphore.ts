/** Thrown when as many callers already wait as a semaphore lets wait. */
export class BusyError extends Error {
  override name = "BusyError";
}

/**
 * Lets `slots` callers in at a time and `queue` more wait their turn. The queue is bounded because
 * what waits costs memory, and strangers decide how much of it there is.
 */
export class Semaphore {
  #free: number;
  #queue: number;
  #waiting: (() => void)[] = [];

  constructor(slots: number, queue: number) {
    this.#free = slots;
    this.#queue = queue;
  }

  /** Runs `work` in a slot. Throws `BusyError` at once when the queue is full. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    if (this.#waiting.length >= this.#queue) {
      return Promise.reject(new BusyError("too many callers wait already"));
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The slot goes straight to the next in line, so that no late caller slips in between. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}

/** What `work` returns, or that too many wait already. */
export async function unlessBusy<T>(work: () => Promise<T>): Promise<T | { refused: "busy" }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BusyError) return { refused: "busy" };
    throw error;
  }
}
