import { CALLED_OFF, type System } from "../system.ts";

/**
 * Tells who waits for something that it has been silent for too long. One timer runs through however
 * many waits there are: a stream waits for every frame, and hardly ever for the whole time.
 */
export class Silence {
  readonly #system: Pick<System, "now" | "sleep">;
  readonly #ms: number;
  readonly #over = new AbortController();
  #since = 0;
  #watched = false;
  #wake: (() => void) | undefined;

  constructor(system: Pick<System, "now" | "sleep">, ms: number) {
    this.#system = system;
    this.#ms = ms;
  }

  /** True once `event` settles; false after so many milliseconds without it, or when it is over. */
  broken(event: Promise<void>): Promise<boolean> {
    this.#since = this.#system.now();
    if (!this.#watched) void this.#watch();
    return new Promise((resolve) => {
      this.#wake = () => resolve(false);
      void event.then(() => resolve(true));
    });
  }

  /** Nobody waits any more. */
  end(): void {
    this.#over.abort(CALLED_OFF);
    this.#wake?.();
  }

  async #watch(): Promise<void> {
    this.#watched = true;
    const { signal } = this.#over;
    try {
      for (let rest = this.#ms; rest > 0; rest = this.#since + this.#ms - this.#system.now()) {
        await this.#system.sleep(rest, signal);
      }
    } catch (error) {
      if (error !== CALLED_OFF) throw error;
      return;
    }
    this.#watched = false;
    this.#wake?.();
  }
}
