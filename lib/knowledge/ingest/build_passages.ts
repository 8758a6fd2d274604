import type { Block } from "./block.ts";
import { estimateTokens, splitText } from "./split_text.ts";
import { PassageBuilder } from "./passage_builder.ts";

/** What is kept of one heading: longer ones are no headings, but are cited all the same. */
const MAX_CHARACTERS = 160;
const MAX_DEPTH = 6;

/** The headings above the place a reader has come to. */
export class HeadingPath {
  #headings: { level: number; text: string }[] = [];
  #used = true;

  /** Outermost first. */
  get path(): string[] {
    return this.#headings.map(({ text }) => text);
  }

  /**
   * The last heading with the path it stands under, if nothing has stood under it and nothing will,
   * because one of `level` is next.
   */
  emptySectionBefore(level: number): { text: string; path: string[] } | undefined {
    const last = this.#headings.at(-1);
    if (this.#used || last === undefined || last.level < level) return undefined;
    return { text: last.text, path: this.path.slice(0, -1) };
  }

  /** Something stands under the headings. */
  markUsed(): void {
    this.#used = true;
  }

  enter({ level, text }: { level: number; text: string }): void {
    while ((this.#headings.at(-1)?.level ?? 0) >= level) this.#headings.pop();
    if (this.#headings.length === MAX_DEPTH) this.#headings.pop();
    this.#headings.push({ level, text: truncate(text) });
    this.#used = false;
  }
}

function truncate(text: string): string {
  const characters = Array.from(text.slice(0, MAX_CHARACTERS * 2));
  if (characters.length <= MAX_CHARACTERS) return text;
  return `${characters.slice(0, MAX_CHARACTERS - 1).join("").trimEnd()}…`;
}

/** A passage without the document it is of; its position is its place in the list. */
export interface Passage {
  headingPath: string[];
  text: string;
  tokens: number;
}

/** A piece of a block that stays whole: at most this many tokens. */
const MAX_FRAGMENT_TOKENS = 220;
/** What a table's header may cost each passage of the table. */
const MAX_HEADER_TOKENS = 80;

/**
 * Passages of about 300-500 tokens, along the document's own structure: a section that is large enough
 * ends one, paragraphs, items and rows are cut only where they are too long for any, and the end of
 * one is repeated at the start of the next. A table's passages each begin with its header.
 */
export function* buildPassages(blocks: Iterable<Block>): Generator<Passage> {
  const headings = new HeadingPath();
  const builder = new PassageBuilder();
  for (const block of blocks) {
    if (block.type === "heading") {
      yield* addEmptySection(builder, headings.emptySectionBefore(block.level));
      headings.enter(block);
      yield* builder.startSection();
      continue;
    }
    for (const { text, repeat } of fragmentsOf(block)) {
      yield* builder.add({ path: headings.path, text, separator: separatorOf(block), repeat });
      headings.markUsed();
    }
    yield* builder.endBlock();
  }
  yield* addEmptySection(builder, headings.emptySectionBefore(0));
  yield* builder.flush();
}

/** A heading with nothing under it is said by itself: the next one would hide it. */
function* addEmptySection(
  builder: PassageBuilder,
  bare: { text: string; path: string[] } | undefined,
): Generator<Passage> {
  if (bare !== undefined) yield* builder.add({ ...bare, separator: "\n\n", repeat: undefined });
}

/** What is between a piece and the one before it. */
function separatorOf(block: Block): string {
  return block.type === "paragraph" ? "\n\n" : "\n";
}

function* fragmentsOf(block: Block): Generator<{ text: string; repeat: string | undefined }> {
  switch (block.type) {
    case "list":
      for (const item of block.items) yield* splitFragments(item);
      return;
    case "table":
      yield* splitFragments(block.rows[0] ?? "");
      for (const row of block.rows.slice(1)) {
        yield* splitFragments(row, repeatableHeader(block.rows, block));
      }
      return;
    case "code":
    case "paragraph":
      return yield* splitFragments(block.text);
    case "heading":
      return;
    default:
      block satisfies never;
  }
}

function repeatableHeader(
  rows: string[],
  { hasHeader }: { hasHeader: boolean },
): string | undefined {
  const header = rows[0];
  if (!hasHeader || header === undefined) return undefined;
  return estimateTokens(header) <= MAX_HEADER_TOKENS ? header : undefined;
}

function* splitFragments(text: string, repeat?: string) {
  for (const piece of splitText(text, MAX_FRAGMENT_TOKENS)) yield { text: piece, repeat };
}
