import type { ResponseAccumulator } from "../response_accumulator.ts";
import { asText, type JsonObject } from "../stream_json.ts";

/** A block to send back unchanged, because the provider verifies its signature. */
type ThinkingBlock =
  | { type: "thinking"; thinking: string; signature?: string }
  | { type: "redacted_thinking"; data: string };

/** A thinking block and its position in the turn. */
export interface PositionedThinking {
  block: ThinkingBlock;
  /** Characters of text. */
  textBefore: number;
  callsBefore: number;
}

/** Collects the thinking of one response, which is hidden output. */
export class ThinkingCollector {
  readonly #response: ResponseAccumulator;
  readonly #blocks: PositionedThinking[] = [];
  #open: { index: number; block: ThinkingBlock } | undefined;

  constructor(response: ResponseAccumulator) {
    this.#response = response;
  }

  /** Starts the block at `index`; compatible servers may send it whole. */
  startBlock(index: number, source: JsonObject, textBefore: number): void {
    const block: ThinkingBlock = source.type === "redacted_thinking"
      ? { type: "redacted_thinking", data: asText(source.data) }
      : { type: "thinking", thinking: asText(source.thinking) };
    this.#blocks.push({ block, textBefore, callsBefore: this.#response.toolCallCount });
    this.#open = { index, block };
    if (block.type === "thinking") this.#response.addReasoning(block.thinking);
    else this.#response.addReasoning(block.data, { isShown: false });
    if (typeof source.signature === "string") this.setSignature(index, source.signature);
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
    this.#response.addReasoning(signature, { isShown: false });
  }

  #blockAt(index: number): ThinkingBlock & { type: "thinking" } | undefined {
    const { index: at, block } = this.#open ?? {};
    return at === index && block?.type === "thinking" ? block : undefined;
  }
}
