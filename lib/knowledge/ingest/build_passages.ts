import type { Passage } from "../passage.ts";
import type { Block } from "./block.ts";
import { PassagePacker } from "./passage_packer.ts";
import { estimateTokens, splitText } from "./split_text.ts";

/** A list item, row or paragraph is not split up to this length. */
const MAX_FRAGMENT_TOKENS = 220;
/** A longer table header is not repeated. */
const MAX_HEADER_TOKENS = 80;
const MAX_HEADING_CHARACTERS = 160;
const MAX_HEADING_DEPTH = 6;

/**
 * Builds passages of about 300-500 tokens along the document's structure: a large section ends a
 * passage, only overlong paragraphs, items and rows are split, and the end of a passage is repeated at
 * the start of the next. Each passage of a table begins with the table's header.
 */
export function* buildPassages(blocks: Iterable<Block>): Generator<Passage> {
  const headings = new HeadingPath();
  const builder = new PassagePacker();
  for (const block of blocks) {
    if (block.type === "heading") {
      yield* addEmptySection(builder, headings.emptySectionBefore(block.level));
      headings.enter(block);
      yield* builder.startSection();
      continue;
    }
    const separator = block.type === "paragraph" ? "\n\n" : "\n";
    for (const { text, repeat } of fragmentsOf(block)) {
      yield* builder.add({ path: headings.path, text, separator, repeat });
      headings.markUsed();
    }
    yield* builder.endBlock();
  }
  yield* addEmptySection(builder, headings.emptySectionBefore(0));
  yield* builder.flush();
}

/** Adds a heading without content as text, because it is in the path of no other fragment. */
function* addEmptySection(
  builder: PassagePacker,
  section: { text: string; path: string[] } | undefined,
): Generator<Passage> {
  if (section) yield* builder.add({ ...section, separator: "\n\n", repeat: undefined });
}

function* fragmentsOf(
  block: Exclude<Block, { type: "heading" }>,
): Generator<{ text: string; repeat: string | undefined }> {
  switch (block.type) {
    case "list":
      for (const item of block.items) yield* splitFragments(item);
      return;
    case "table": {
      const [first = "", ...rows] = block.rows;
      yield* splitFragments(first);
      const isHeader = block.hasHeader && estimateTokens(first) <= MAX_HEADER_TOKENS;
      for (const row of rows) yield* splitFragments(row, isHeader ? first : undefined);
      return;
    }
    case "code":
    case "paragraph":
      return yield* splitFragments(block.text);
    default:
      block satisfies never;
  }
}

function* splitFragments(text: string, repeat?: string) {
  for (const part of splitText(text, MAX_FRAGMENT_TOKENS)) yield { text: part, repeat };
}

class HeadingPath {
  #headings: { level: number; text: string }[] = [];
  #used = true;

  /** Outermost first. */
  get path(): string[] {
    return this.#headings.map(({ text }) => text);
  }

  /** The last heading, if a heading of `level` follows and nothing is under the last one. */
  emptySectionBefore(level: number): { text: string; path: string[] } | undefined {
    const last = this.#headings.at(-1);
    if (this.#used || last === undefined || last.level < level) return undefined;
    return { text: last.text, path: this.path.slice(0, -1) };
  }

  markUsed(): void {
    this.#used = true;
  }

  enter({ level, text }: { level: number; text: string }): void {
    while ((this.#headings.at(-1)?.level ?? 0) >= level) this.#headings.pop();
    if (this.#headings.length === MAX_HEADING_DEPTH) this.#headings.pop();
    this.#headings.push({ level, text: truncate(text) });
    this.#used = false;
  }
}

function truncate(text: string): string {
  const characters = Array.from(text.slice(0, MAX_HEADING_CHARACTERS * 2));
  if (characters.length <= MAX_HEADING_CHARACTERS) return text;
  return `${characters.slice(0, MAX_HEADING_CHARACTERS - 1).join("").trimEnd()}…`;
}
