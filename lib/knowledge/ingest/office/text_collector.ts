import { type Block, CELL_SEPARATOR } from "../block.ts";
import { cleanText, toSingleLine } from "../decode_text.ts";

export type ParagraphKind =
  | { type: "paragraph" }
  | { type: "heading"; level: number }
  | { type: "item"; depth: number };

const MAX_LIST_DEPTH = 8;
const MAX_HEADING_LEVEL = 9;

/**
 * Collects the blocks of a text document. Paragraphs may lie within paragraphs (text boxes, notes) and
 * tables within tables, whose text then belongs to the outer cell.
 */
export class TextCollector {
  readonly #blocks: Block[] = [];
  /** The texts of open paragraphs, the innermost last. */
  readonly #open: string[][] = [];
  /** The open tables, the innermost last. */
  readonly #tables: { rows: string[][]; cells: string[]; cell: string[] }[] = [];
  #items: string[] = [];

  get isInParagraph(): boolean {
    return this.#open.length > 0;
  }

  openParagraph(): void {
    this.#open.push([]);
  }

  addText(text: string): void {
    this.#open.at(-1)?.push(text);
  }

  closeParagraph(kind: ParagraphKind): void {
    const lines = cleanText(this.#open.pop()?.join("") ?? "").split("\n").map(toSingleLine);
    const text = lines.filter((line) => line !== "").join("\n");
    if (text === "") return;
    const table = this.#tables.at(-1);
    if (table !== undefined) return void table.cell.push(toSingleLine(text));
    if (kind.type === "item") {
      const depth = Math.min(kind.depth, MAX_LIST_DEPTH);
      this.#items.push(`${"  ".repeat(depth)}- ${toSingleLine(text)}`);
      return;
    }
    this.#endList();
    if (kind.type === "paragraph") this.#blocks.push({ type: "paragraph", text });
    else this.addHeading(kind.level, text);
  }

  /** A document may claim any level. */
  addHeading(claimed: number, text: string): void {
    this.#endList();
    const level = Math.min(Math.max(Math.trunc(claimed) || 1, 1), MAX_HEADING_LEVEL);
    const line = toSingleLine(cleanText(text));
    if (line !== "") this.#blocks.push({ type: "heading", level, text: line });
  }

  addBlocks(blocks: readonly Block[]): void {
    this.#endList();
    for (const block of blocks) this.#blocks.push(block);
  }

  openTable(): void {
    if (this.#tables.length === 0) this.#endList();
    this.#tables.push({ rows: [], cells: [], cell: [] });
  }

  closeCell(): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    table.cells.push(table.cell.join(" "));
    table.cell = [];
  }

  closeRow(): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    if (table.cells.some((cell) => cell !== "")) table.rows.push(table.cells);
    table.cells = [];
  }

  closeTable(): void {
    const { rows } = this.#tables.pop() ?? { rows: [] };
    if (rows.length === 0) return;
    const outer = this.#tables.at(-1);
    if (outer !== undefined) {
      for (const row of rows) outer.cell.push(row.filter((cell) => cell !== "").join(" "));
      return;
    }
    // A table of one column is layout.
    if (rows.every((row) => row.length < 2)) {
      for (const [text = ""] of rows) this.#blocks.push({ type: "paragraph", text });
      return;
    }
    const lines = rows.map((row) => row.join(CELL_SEPARATOR));
    const hasHeader = rows.length > 1 && rows[0]!.every((cell) => /\p{L}/u.test(cell));
    this.#blocks.push({ type: "table", rows: lines, hasHeader });
  }

  finish(): Block[] {
    this.#endList();
    return this.#blocks;
  }

  #endList(): void {
    if (this.#items.length > 0) this.#blocks.push({ type: "list", items: this.#items });
    this.#items = [];
  }
}
