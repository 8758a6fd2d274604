/** At most one delta goes out per this many milliseconds. */
const WINDOW_MS = 30;

/**
 * Joins the small pieces a model streams into at most one every 30 ms: a frame per token costs more
 * in transport than in text. The first piece is never held back.
 */
export class DeltaCoalescer {
  #emit: (text: string) => void;
  #held = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(emit: (text: string) => void) {
    this.#emit = emit;
  }

  push(text: string): void {
    if (text === "") return;
    this.#held += text;
    if (this.#timer === undefined) this.#release();
  }

  /** Sends what is held; called before any other frame, so that order is kept. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#send();
  }

  #release(): void {
    this.#send();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#held !== "") this.#release();
    }, WINDOW_MS);
  }

  #send(): void {
    if (this.#held === "") return;
    const text = this.#held;
    this.#held = "";
    this.#emit(text);
  }
}
