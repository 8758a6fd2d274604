/** A value that components read, with at most one notification per animation frame. */
const FRAME_MS = 16;

export class StateHolder<T> {
  #value: T;
  #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #changed = false;

  constructor(value: T) {
    this.#value = value;
  }

  get = (): T => this.#value;

  subscribe = (listener: () => void): () => void => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Notifies immediately after a pause, otherwise soon: a resumed run sends many frames at once. */
  set(value: T): void {
    this.#value = value;
    this.#changed = true;
    if (this.#timer === undefined) this.#notify();
  }

  /** Notifies now, and leaves no timer behind. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#changed) return;
    this.#changed = false;
    for (const listener of [...this.#listeners]) listener();
  }

  #notify(): void {
    this.flush();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#changed) this.#notify();
    }, FRAME_MS);
  }
}
