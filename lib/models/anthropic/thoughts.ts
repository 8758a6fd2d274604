import { asText, type Loose } from "../stream_json.ts";
import type { Turn } from "../turn.ts";

/** A block as the vendor wants it back: it checks the signature, so nothing in it is changed. */
type ThoughtBlock =
  | { type: "thinking"; thinking: string; signature?: string }
  | { type: "redacted_thinking"; data: string };

/** A block of thinking, and how much of its turn came before it. */
export interface Thought {
  block: ThoughtBlock;
  /** Characters of text. */
  textBefore: number;
  callsBefore: number;
}

/** Gathers the thinking of one answer. All of it is output that nobody is shown. */
export class Thoughts {
  readonly #turn: Turn;
  readonly #kept: Thought[] = [];
  #open: { index: number; block: ThoughtBlock } | undefined;

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  /** The block at `index` begins; compatible servers may give it whole. */
  begin(index: number, block: Loose, textBefore: number): void {
    const begun: ThoughtBlock = block.type === "redacted_thinking"
      ? { type: "redacted_thinking", data: asText(block.data) }
      : { type: "thinking", thinking: asText(block.thinking) };
    this.#kept.push({ block: begun, textBefore, callsBefore: this.#turn.calls });
    this.#open = { index, block: begun };
    this.#turn.hidden(begun.type === "thinking" ? begun.thinking : begun.data);
    if (typeof block.signature === "string") this.sign(index, block.signature);
    this.#turn.keep(this.#kept);
  }

  add(index: number, thinking: string): void {
    const block = this.#blockAt(index);
    if (block !== undefined) block.thinking += thinking;
    this.#turn.hidden(thinking);
  }

  sign(index: number, signature: string): void {
    const block = this.#blockAt(index);
    if (block !== undefined) block.signature = signature;
    this.#turn.hidden(signature);
  }

  #blockAt(index: number): ThoughtBlock & { type: "thinking" } | undefined {
    const { index: at, block } = this.#open ?? {};
    return at === index && block?.type === "thinking" ? block : undefined;
  }
}
