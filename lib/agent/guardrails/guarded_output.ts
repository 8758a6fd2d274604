import type { TextRule } from "./guardrail_rules.ts";
import { TextGuard } from "./text_guard.ts";
import { TextReviewer } from "./text_reviewer.ts";

export interface GuardedOutputOptions {
  rules: readonly TextRule[];
  onMatch: (rule: TextRule) => void;
  /** Judges a text; false if it must not be shown. Absent without a classifier. */
  check?: ((text: string) => Promise<boolean>) | undefined;
  /** Called once, when nothing more may be shown. */
  onStop: () => void;
}

/** A run's text on its way to the page: first the rules, then the classifier. */
export class GuardedOutput {
  readonly #guard: TextGuard;
  readonly #reviewer: TextReviewer | undefined;
  readonly #onStop: () => void;
  #emit: (text: string) => void = () => {};
  #isStopped = false;

  constructor({ rules, onMatch, check, onStop }: GuardedOutputOptions) {
    this.#guard = new TextGuard({ rules, onMatch });
    this.#onStop = onStop;
    const review = check && (async (text: string) => {
      const isAllowed = await check(text);
      if (!isAllowed) this.#stop();
      return isAllowed;
    });
    this.#reviewer = review && new TextReviewer(review, (text) => this.#show(text));
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Where text goes from now on: a step's text, or the run's. */
  sendTo(emit: (text: string) => void): void {
    this.#emit = emit;
  }

  push(text: string): void {
    if (!this.#isStopped) this.#pass(this.#guard.push(text));
  }

  /** A step ended with calls of tools; resolves when its text is decided. */
  async pause(): Promise<void> {
    this.#pass(this.#guard.pause());
    await this.#reviewer?.drain();
  }

  /** The text is complete; resolves when all of it is decided. */
  async end(): Promise<void> {
    this.#pass(this.#guard.end());
    await this.#reviewer?.drain();
  }

  /** The text was cut off by a limit or a failure; resolves when what is left of it is decided. */
  async cut(): Promise<void> {
    this.#pass(this.#guard.cut());
    await this.#reviewer?.drain();
  }

  /** The run was stopped: the text is cut off, and what was not judged is not shown. */
  async abort(): Promise<void> {
    const rest = this.#guard.cut();
    if (this.#reviewer === undefined) this.#pass(rest);
    else await this.#reviewer.discard();
  }

  #pass(text: string): void {
    if (this.#reviewer === undefined) this.#show(text);
    else if (text !== "") this.#reviewer.push(text);
    if (this.#guard.stoppedBy !== undefined) this.#stop();
  }

  #show(text: string): void {
    if (text !== "") this.#emit(text);
  }

  #stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#onStop();
  }
}
