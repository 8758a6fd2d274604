/** How long operations that can wait are held back for others to join them, milliseconds. */
const MAX_WAIT_MS = 20;

/** Calls `callback` once after `ms`. Returns a function that cancels it. */
export type SetTimer = (ms: number, callback: () => void) => () => void;

/**
 * When a committer sends what is queued: at the end of the current turn, so that concurrent callers share
 * a commit; or within 20 ms if everything queued can wait, so that slow streams share one. Without
 * `setTimer` nothing waits.
 */
export class SendSchedule {
  readonly #send: () => void;
  readonly #setTimer: SetTimer | undefined;
  #isDue = false;
  #cancelTimer: (() => void) | undefined;

  constructor(send: () => void, setTimer?: SetTimer) {
    this.#send = send;
    this.#setTimer = setTimer;
  }

  /** Something was queued. */
  request({ canWait }: { canWait: boolean }): void {
    if (this.#isDue) return;
    if (canWait && this.#setTimer !== undefined) {
      this.#cancelTimer ??= this.#setTimer(MAX_WAIT_MS, () => this.#fire());
      return;
    }
    this.#isDue = true;
    queueMicrotask(() => this.#fire());
  }

  #fire(): void {
    this.#isDue = false;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#send();
  }
}
