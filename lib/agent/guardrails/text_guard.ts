import { FoldedText } from "./folded_text.ts";
import type { TextRule } from "./guardrail_rules.ts";
import { isDigit } from "./word_boundary.ts";

const AT = 64;
/** What may be seen of a card number: the bank that issued it. */
const MAX_SHOWN_DIGITS = 6;
const PART_LENGTH = 4_096;

export interface TextGuardOptions {
  rules: readonly TextRule[];
  /** Called for each match. */
  onMatch?: (rule: TextRule) => void;
}

/**
 * Applies rules to a text that arrives in parts. Each part is returned as soon as it cannot be a part of a
 * match any more: at most a word, or a beginning match, is held back. Leftmost matches win, then longer
 * ones. What is returned together is the same for every way to split the text.
 */
export class TextGuard {
  /** The rule that ended the text; what follows is discarded. */
  stoppedBy: TextRule | undefined;
  readonly #options: TextGuardOptions;
  readonly #text = new FoldedText();
  /** What is not returned yet, and where it starts in the original. */
  #held = "";
  #heldFrom = 0;
  /** The first code point that is not decided. */
  #next = 0;

  constructor(options: TextGuardOptions) {
    this.#options = options;
  }

  /** Characters that are held back. */
  get heldLength(): number {
    return this.#held.length;
  }

  push(part: string): string {
    if (this.stoppedBy !== undefined) return "";
    this.#held += this.#text.push(part);
    return this.#decide();
  }

  /** A step ended and another follows: only what may continue a match there stays held back. */
  pause(): string {
    return this.stoppedBy === undefined ? this.#decide({ isPause: true }) : "";
  }

  /** The text is complete. */
  end(): string {
    if (this.stoppedBy !== undefined) return "";
    this.#held += this.#text.end();
    const shown = this.#decide();
    this.#text.reopen();
    return shown;
  }

  /**
   * The text was cut off. The beginning of a number or of an address is not shown: without its last digit
   * a card number is no match, but its checksum says which one is missing.
   */
  cut(): string {
    const held = this.#held;
    const isBeginning = this.#isTelling(this.#next);
    const shown = this.end();
    return isBeginning && shown === held ? "" : shown;
  }

  #isTelling(from: number): boolean {
    let digits = 0;
    for (let i = from; i < this.#text.length; i++) {
      const code = this.#text.at(i);
      if (code === AT || (isDigit(code) && ++digits > MAX_SHOWN_DIGITS)) return true;
    }
    return false;
  }

  #decide({ isPause = false } = {}): string {
    const text = this.#text;
    let shown = "";
    while (this.#next < text.length) {
      const match = this.#matchAt(this.#next, isPause);
      if (match === "unknown") break;
      if (match === undefined) {
        this.#next++;
        continue;
      }
      shown += this.#take(text.startOf(this.#next));
      this.#options.onMatch?.(match.rule);
      if (match.rule.action !== "mask") {
        this.stoppedBy = match.rule;
        this.#held = "";
        return shown;
      }
      shown += match.rule.mask;
      const end = text.endOf(match.end - 1);
      this.#take(end);
      this.#next = match.end;
      // A character that stands for several code points is replaced as a whole.
      while (this.#next < text.length && text.startOf(this.#next) < end) this.#next++;
    }
    shown += this.#take(text.startOf(this.#next));
    this.#next -= text.trim(this.#next);
    return shown;
  }

  #matchAt(i: number, isPause: boolean): { rule: TextRule; end: number } | "unknown" | undefined {
    const text = this.#text;
    let best: { rule: TextRule; end: number } | undefined;
    for (const rule of this.#options.rules) {
      text.starved = false;
      const end = rule.find(text, i);
      if (text.starved && !(isPause && this.#isMereWord(rule, i))) return "unknown";
      if (!text.starved && end > (best?.end ?? -1)) best = { rule, end };
    }
    return best;
  }

  /** Any word may continue as an e-mail address, but hardly after a tool call. */
  #isMereWord({ rule }: TextRule, i: number): boolean {
    if (rule !== "email") return false;
    for (let j = i; j < this.#text.length; j++) if (this.#text.at(j) === AT) return false;
    return true;
  }

  /** Removes and returns what is held up to an offset of the original. */
  #take(end: number): string {
    const length = Math.max(0, end - this.#heldFrom);
    const taken = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    this.#heldFrom += length;
    return taken;
  }
}

/** Applies rules to a complete text; in parts, because a guard forgets what it has decided. */
export function guardText(text: string, options: TextGuardOptions): string {
  const guard = new TextGuard(options);
  let shown = "";
  for (let at = 0; at < text.length; at += PART_LENGTH) {
    shown += guard.push(text.slice(at, at + PART_LENGTH));
  }
  return shown + guard.end();
}
