const WINDOW_MS = 30;

/**
 * Merges the small deltas of a model into at most one every 30 ms, because a frame per token costs more
 * in transport than in text. The first delta is emitted immediately.
 */
export class DeltaCoalescer {
  #emit: (text: string) => void;
  #pending = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(emit: (text: string) => void) {
    this.#emit = emit;
  }

  push(text: string): void {
    if (text === "") return;
    this.#pending += text;
    if (this.#timer === undefined) this.#release();
  }

  /** Emits pending text. Call it before any other frame, to preserve the order. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#send();
  }

  #release(): void {
    this.#send();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#pending !== "") this.#release();
    }, WINDOW_MS);
  }

  #send(): void {
    if (this.#pending === "") return;
    const text = this.#pending;
    this.#pending = "";
    this.#emit(text);
  }
}
