import { asText, type JsonObject } from "../stream_json.ts";
import type { ResponseAccumulator } from "../response_accumulator.ts";

/** A block as the vendor wants it back: it checks the signature, so nothing in it is changed. */
type ThinkingBlock =
  | { type: "thinking"; thinking: string; signature?: string }
  | { type: "redacted_thinking"; data: string };

/** A block of thinking, and how much of its turn came before it. */
export interface PositionedThinking {
  block: ThinkingBlock;
  /** Characters of text. */
  textBefore: number;
  callsBefore: number;
}

/** Gathers the thinking of one answer. All of it is output that nobody is shown. */
export class ThinkingCollector {
  readonly #response: ResponseAccumulator;
  readonly #blocks: PositionedThinking[] = [];
  #open: { index: number; block: ThinkingBlock } | undefined;

  constructor(turn: ResponseAccumulator) {
    this.#response = turn;
  }

  /** The block at `index` begins; compatible servers may give it whole. */
  startBlock(index: number, block: JsonObject, textBefore: number): void {
    const begun: ThinkingBlock = block.type === "redacted_thinking"
      ? { type: "redacted_thinking", data: asText(block.data) }
      : { type: "thinking", thinking: asText(block.thinking) };
    this.#blocks.push({ block: begun, textBefore, callsBefore: this.#response.toolCallCount });
    this.#open = { index, block: begun };
    this.#response.addReasoning(begun.type === "thinking" ? begun.thinking : begun.data);
    if (typeof block.signature === "string") this.setSignature(index, block.signature);
    this.#response.setProviderMetadata(this.#blocks);
  }

  appendText(index: number, thinking: string): void {
    const block = this.#blockAt(index);
    if (block !== undefined) block.thinking += thinking;
    this.#response.addReasoning(thinking);
  }

  setSignature(index: number, signature: string): void {
    const block = this.#blockAt(index);
    if (block !== undefined) block.signature = signature;
    this.#response.addReasoning(signature);
  }

  #blockAt(index: number): ThinkingBlock & { type: "thinking" } | undefined {
    const { index: at, block } = this.#open ?? {};
    return at === index && block?.type === "thinking" ? block : undefined;
  }
}
