import type { Block } from "./block.ts";
import { cleanText, toSingleLine } from "./decode_text.ts";

interface Line {
  text: string;
  /** Of the letters, in points. */
  height: number;
  /** Distance from the line above; `undefined` at the top of a page. */
  gap: number | undefined;
}

type Item = { str: string; height: number; hasEOL: boolean; transform: number[] };

/** Relative to the body text. */
const HEADING_RATIO = 1.15;
const HEADING_CHARACTERS = 150;
/** In heights of a letter. */
const PARAGRAPH_GAP = 1.8;

/** Collects the lines of a PDF and joins them to blocks. */
export class PdfBlockBuilder {
  characters = 0;
  #lines: Line[] = [];

  /** `items` are the text items of PDF.js, in reading order. */
  addPage(items: readonly unknown[]): void {
    let text = "";
    let height = 0;
    let lastY: number | undefined;
    let y: number | undefined;
    const end = () => {
      const line = toSingleLine(cleanText(text));
      if (line !== "") {
        const gap = lastY === undefined || y === undefined ? undefined : Math.abs(lastY - y);
        this.#lines.push({ text: line, height: Math.round(height * 2) / 2, gap });
        this.characters += line.length;
        lastY = y;
      }
      text = "";
      height = 0;
      y = undefined;
    };
    for (const item of items) {
      if (!isItem(item)) continue;
      text += item.str;
      if (item.str.trim() !== "") {
        height = Math.max(height, item.height);
        y ??= item.transform[5];
      }
      if (item.hasEOL) end();
    }
    end();
  }

  toBlocks(): Block[] {
    const body = this.#bodyHeight();
    const sizes = [...new Set(this.#lines.map(({ height }) => height))]
      .filter((height) => height >= body * HEADING_RATIO)
      .sort((a, b) => b - a);
    const blocks: Block[] = [];
    let paragraph: Line[] = [];
    const end = () => {
      if (paragraph.length > 0) blocks.push({ type: "paragraph", text: joinLines(paragraph) });
      paragraph = [];
    };
    for (const line of this.#lines) {
      const rank = sizes.indexOf(line.height);
      if (rank !== -1 && line.text.length <= HEADING_CHARACTERS) {
        end();
        addHeading(blocks, { line, level: Math.min(rank + 1, 6) });
        continue;
      }
      if (startsParagraph(line, paragraph.at(-1))) end();
      paragraph.push(line);
    }
    end();
    return blocks;
  }

  #bodyHeight(): number {
    const counts = new Map<number, number>();
    for (const { height, text } of this.#lines) {
      counts.set(height, (counts.get(height) ?? 0) + text.length);
    }
    let [body, max] = [0, 0];
    for (const [height, count] of counts) if (count > max) [body, max] = [height, count];
    return body;
  }
}

function addHeading(blocks: Block[], { line, level }: { line: Line; level: number }): void {
  const last = blocks.at(-1);
  const close = line.gap !== undefined && line.gap <= line.height * PARAGRAPH_GAP;
  if (last?.type === "heading" && last.level === level && close) last.text += ` ${line.text}`;
  else blocks.push({ type: "heading", level, text: line.text });
}

function startsParagraph(line: Line, before: Line | undefined): boolean {
  if (before === undefined) return false;
  // A sentence may continue on the next page.
  if (line.gap === undefined) return /[.!?:。！？]["')\]]?$/.test(before.text);
  return line.gap > Math.max(line.height, before.height) * PARAGRAPH_GAP;
}

function joinLines(lines: readonly Line[]): string {
  let joined = "";
  for (const { text } of lines) {
    const cut = /\p{Ll}-$/u.test(joined.slice(-3)) && /^\p{Ll}/u.test(text);
    if (cut) joined = joined.slice(0, -1) + text;
    else joined += joined === "" ? text : ` ${text}`;
  }
  return joined;
}

function isItem(item: unknown): item is Item {
  return typeof item === "object" && item !== null && "str" in item && "transform" in item;
}
