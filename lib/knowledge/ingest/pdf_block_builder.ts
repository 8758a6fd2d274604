import type { Block } from "./block.ts";
import { cleanText, toSingleLine } from "./decode_text.ts";

/** One line as it stands on its page. */
interface Line {
  text: string;
  /** Of its letters, in points. */
  height: number;
  /** Distance from the line before; `undefined` on top of a page. */
  gap: number | undefined;
}

interface Item {
  str: string;
  height: number;
  hasEOL: boolean;
  transform: number[];
}

/** Letters this much larger than those of most lines make a heading. */
const HEADING_RATIO = 1.15;
const HEADING_CHARACTERS = 150;
/** A gap of so many heights of a letter sets paragraphs apart. */
const PARAGRAPH_GAP = 1.8;

/** Lines of a PDF, page by page, and the blocks they make. */
export class PdfBlockBuilder {
  /** How much text there is so far. */
  characters = 0;
  #lines: Line[] = [];

  /** `items` as the library tells them, in reading order. */
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

  /** The height that most characters have. */
  #bodyHeight(): number {
    const counts = new Map<number, number>();
    for (const { height, text } of this.#lines) {
      counts.set(height, (counts.get(height) ?? 0) + text.length);
    }
    let [body, most] = [0, 0];
    for (const [height, count] of counts) if (count > most) [body, most] = [height, count];
    return body;
  }
}

/** A heading of several lines is one. */
function addHeading(blocks: Block[], { line, level }: { line: Line; level: number }): void {
  const last = blocks.at(-1);
  const close = line.gap !== undefined && line.gap <= line.height * PARAGRAPH_GAP;
  if (last?.type === "heading" && last.level === level && close) last.text += ` ${line.text}`;
  else blocks.push({ type: "heading", level, text: line.text });
}

function startsParagraph(line: Line, before: Line | undefined): boolean {
  if (before === undefined) return false;
  // A sentence goes on over the end of a page.
  if (line.gap === undefined) return /[.!?:。！？]["')\]]?$/.test(before.text);
  return line.gap > Math.max(line.height, before.height) * PARAGRAPH_GAP;
}

/** A word cut in two at the end of a line is put together again. */
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
