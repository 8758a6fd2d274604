/** A window is checked at the end of a sentence from this length on, in characters. */
const MIN_WINDOW = 200;
/** Without the end of a sentence, from this length on. */
const LONG_WINDOW = 1_000;
const MAX_WINDOW = 4_000;
/** What precedes a window is read with it, so that a sentence is understood. */
const CONTEXT = 400;
const SENTENCE_END = /[.!?…。！？]["'”’)\]]*\s|\n/g;

/**
 * Text that waits for a classifier. Windows are checked one after another; while one is, text collects
 * for the next, so the number of requests follows the classifier's speed. Only what was allowed is
 * emitted.
 */
export class TextReviewer {
  readonly #check: (text: string) => Promise<boolean>;
  readonly #emit: (text: string) => void;
  #waiting = "";
  #context = "";
  #running: Promise<void> | undefined;
  #isBlocked = false;

  /** `check` resolves with true if a text may be shown; after false, nothing more is. */
  constructor(check: (text: string) => Promise<boolean>, emit: (text: string) => void) {
    this.#check = check;
    this.#emit = emit;
  }

  /** Characters that wait. */
  get heldLength(): number {
    return this.#waiting.length;
  }

  push(text: string): void {
    if (this.#isBlocked) return;
    this.#waiting += text;
    if (this.#running === undefined) this.#start(windowLength(this.#waiting));
  }

  /** Checks the rest, and resolves when all is decided. Rejects with the reason of an abort. */
  async drain(): Promise<void> {
    while (this.#running !== undefined || (this.#waiting !== "" && !this.#isBlocked)) {
      if (this.#running === undefined) this.#start(Math.min(this.#waiting.length, MAX_WINDOW));
      await this.#running;
    }
  }

  /** Drops what waits, and resolves when no check is running any more. */
  async discard(): Promise<void> {
    this.#isBlocked = true;
    this.#waiting = "";
    await this.#running?.catch(() => {});
  }

  #start(length: number): void {
    if (length === 0) return;
    const running = this.#review(length);
    // `drain` throws the error; until then it must not be unhandled.
    running.catch(() => {});
    this.#running = running;
  }

  async #review(length: number): Promise<void> {
    const window = this.#waiting.slice(0, length);
    const isAllowed = await this.#check(this.#context + window);
    this.#running = undefined;
    if (this.#isBlocked) return;
    if (!isAllowed) {
      this.#isBlocked = true;
      this.#waiting = "";
      return;
    }
    this.#waiting = this.#waiting.slice(length);
    this.#context = (this.#context + window).slice(-CONTEXT).toWellFormed();
    this.#emit(window);
    this.#start(windowLength(this.#waiting));
  }
}

/** How much of the waiting text to check now, 0 for nothing yet. */
function windowLength(text: string): number {
  if (text.length < MIN_WINDOW) return 0;
  const some = text.slice(0, MAX_WINDOW);
  const ends = Array.from(some.matchAll(SENTENCE_END), ({ index, 0: end }) => index + end.length);
  const last = ends.at(-1) ?? 0;
  if (last >= MIN_WINDOW) return last;
  return text.length < LONG_WINDOW ? 0 : splitPoint(some);
}

/** Not between the halves of a character. */
function splitPoint(text: string): number {
  return text.isWellFormed() ? text.length : text.length - 1;
}
