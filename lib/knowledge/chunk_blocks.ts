import type { Block } from "./block.ts";
import { estimateTokens } from "./estimate_tokens.ts";
import { HeadingPath } from "./heading_path.ts";
import { PassageBuilder } from "./passage_builder.ts";
import { splitText } from "./split_text.ts";

/** A passage without the document it is of; its position is its place in the list. */
export interface Passage {
  headingPath: string[];
  text: string;
  tokens: number;
}

/** A piece of a block that stays whole: at most this many tokens. */
const MAX_PIECE_TOKENS = 220;
/** What a table's header may cost each passage of the table. */
const MAX_HEADER_TOKENS = 80;

/**
 * Passages of about 300-500 tokens, along the document's own structure: a section that is large enough
 * ends one, paragraphs, items and rows are cut only where they are too long for any, and the end of
 * one is repeated at the start of the next. A table's passages each begin with its header.
 */
export function* chunkBlocks(blocks: Iterable<Block>): Generator<Passage> {
  const headings = new HeadingPath();
  const builder = new PassageBuilder();
  for (const block of blocks) {
    if (block.type === "heading") {
      yield* addBare(builder, headings.bareBefore(block.level));
      headings.enter(block);
      yield* builder.section();
      continue;
    }
    for (const { text, repeat } of piecesOf(block)) {
      yield* builder.add({ path: headings.path, text, gap: gapOf(block), repeat });
      headings.used();
    }
    yield* builder.endBlock();
  }
  yield* addBare(builder, headings.bareBefore(0));
  yield* builder.flush();
}

/** A heading with nothing under it is said by itself: the next one would hide it. */
function* addBare(
  builder: PassageBuilder,
  bare: { text: string; path: string[] } | undefined,
): Generator<Passage> {
  if (bare !== undefined) yield* builder.add({ ...bare, gap: "\n\n", repeat: undefined });
}

/** What is between a piece and the one before it. */
function gapOf(block: Block): string {
  return block.type === "paragraph" ? "\n\n" : "\n";
}

function* piecesOf(block: Block): Generator<{ text: string; repeat: string | undefined }> {
  switch (block.type) {
    case "list":
      for (const item of block.items) yield* pieces(item);
      return;
    case "table":
      yield* pieces(block.rows[0] ?? "");
      for (const row of block.rows.slice(1)) yield* pieces(row, headerOf(block.rows, block));
      return;
    case "code":
    case "paragraph":
      return yield* pieces(block.text);
    case "heading":
      return;
    default:
      block satisfies never;
  }
}

function headerOf(rows: string[], { hasHeader }: { hasHeader: boolean }): string | undefined {
  const header = rows[0];
  if (!hasHeader || header === undefined) return undefined;
  return estimateTokens(header) <= MAX_HEADER_TOKENS ? header : undefined;
}

function* pieces(text: string, repeat?: string) {
  for (const piece of splitText(text, MAX_PIECE_TOKENS)) yield { text: piece, repeat };
}
