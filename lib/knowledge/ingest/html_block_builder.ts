import { type Block, CELL_SEPARATOR } from "./block.ts";
import { cleanText, toSingleLine } from "./decode_text.ts";

/** Their text is not visible on the page, or only navigates. */
const SKIPPED = new Set(
  "script style template noscript svg math head nav iframe object canvas select textarea button"
    .split(" "),
);
/** Elements that do not break a line. */
const INLINE = new Set(
  ("a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark q ruby rb " +
    "rt rp s samp small span strike strong sub sup time tt u var wbr").split(" "),
);
/** Deeper items are not indented further. */
const MAX_LIST_DEPTH = 8;
const LISTS = new Set(["ul", "ol", "menu"]);

/** Builds blocks from the open and close events of an HTML parser. */
export class HtmlBlockBuilder {
  #blocks: Block[] = [];
  #text = "";
  /** Depth within a skipped element; 0 outside. */
  #skipped = 0;
  #preformatted = 0;
  #lists: string[] = [];
  #items: string[] = [];
  #tables = 0;
  #rows: string[][] = [];
  #cells: string[] = [];
  #headerCells = 0;
  #hasHeader = false;

  openElement(name: string, attributes: Record<string, string>): void {
    if (this.#skipped > 0 || SKIPPED.has(name) || "hidden" in attributes) {
      this.#skipped++;
      return;
    }
    if (name === "br") this.#text += "\n";
    else if (name === "img") this.#text += ` ${attributes.alt ?? ""} `;
    else if (INLINE.has(name)) return;
    else if (this.#tables > 0) this.#openInTable(name);
    else if (LISTS.has(name) || name === "li") this.#openList(name);
    else if (this.#lists.length > 0) this.#text += " ";
    else this.#openBlock(name);
  }

  addText(text: string): void {
    if (this.#skipped > 0) return;
    this.#text += this.#preformatted > 0 ? text : text.replace(/\s+/g, " ");
  }

  closeElement(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    if (name === "br" || INLINE.has(name)) return;
    if (this.#tables > 0) this.#closeInTable(name);
    else if (this.#lists.length > 0) this.#closeInList(name);
    else if (name === "pre") this.#endPreformatted();
    else if (/^h[1-6]$/.test(name)) this.#endHeading(Number(name[1]));
    else this.#endParagraph();
  }

  finish(): Block[] {
    if (this.#tables > 0) this.#endTable();
    if (this.#lists.length > 0) this.#endList();
    if (this.#preformatted > 0) this.#endPreformatted();
    this.#endParagraph();
    return this.#blocks;
  }

  #openBlock(name: string): void {
    if (this.#preformatted > 0) return;
    this.#endParagraph();
    if (name === "pre") this.#preformatted++;
    if (name === "table") this.#tables++;
  }

  #openList(name: string): void {
    if (this.#lists.length > 0) this.#endItem();
    else this.#endParagraph();
    // An item outside of a list opens one.
    if (name !== "li" || this.#lists.length === 0) this.#lists.push(name);
  }

  #closeInList(name: string): void {
    if (name === "li" && this.#lists[0] !== "li") return this.#endItem();
    if (name !== "li" && !LISTS.has(name)) return void (this.#text += " ");
    this.#endItem();
    this.#lists.pop();
    if (this.#lists.length === 0) this.#endList();
  }

  #openInTable(name: string): void {
    if (name === "table") this.#tables++;
    else this.#text += " ";
  }

  #closeInTable(name: string): void {
    if (name === "table" && --this.#tables === 0) return this.#endTable();
    // A nested table is text of its cell.
    if (this.#tables > 1) return void (this.#text += " ");
    if (name === "td" || name === "th") this.#endCell(name);
    else if (name === "tr") this.#endRow();
    else if (name === "caption") this.#endParagraph();
    else this.#text += " ";
  }

  #endCell(name: string): void {
    this.#cells.push(toSingleLine(this.#takeText()));
    if (name === "th") this.#headerCells++;
  }

  #endRow(): void {
    if (this.#rows.length === 0 && this.#cells.length > 0) {
      this.#hasHeader = this.#headerCells === this.#cells.length;
    }
    if (this.#cells.some((cell) => cell !== "")) this.#rows.push(this.#cells);
    this.#cells = [];
    this.#headerCells = 0;
  }

  #endTable(): void {
    if (this.#cells.length > 0) this.#endRow();
    this.#tables = 0;
    const rows = this.#rows;
    this.#rows = [];
    // A table of one column is layout.
    if (rows.every((row) => row.length < 2)) {
      for (const [text = ""] of rows) this.#blocks.push({ type: "paragraph", text });
    } else {
      const lines = rows.map((row) => row.join(CELL_SEPARATOR));
      this.#blocks.push({ type: "table", rows: lines, hasHeader: this.#hasHeader });
    }
    this.#hasHeader = false;
    this.#endParagraph();
  }

  #endItem(): void {
    const text = toSingleLine(this.#takeText());
    if (text === "") return;
    const depth = Math.min(this.#lists.length, MAX_LIST_DEPTH) - 1;
    this.#items.push(`${"  ".repeat(depth)}- ${text}`);
  }

  #endList(): void {
    if (this.#lists.length > 0) this.#endItem();
    this.#lists = [];
    const items = this.#items;
    this.#items = [];
    if (items.length > 0) this.#blocks.push({ type: "list", items });
  }

  #endPreformatted(): void {
    this.#preformatted = 0;
    const text = this.#takeText().replace(/^\n+|\s+$/g, "");
    if (text !== "") this.#blocks.push({ type: "code", text });
  }

  #endHeading(level: number): void {
    const text = toSingleLine(this.#takeText());
    if (text !== "") this.#blocks.push({ type: "heading", level, text });
  }

  #endParagraph(): void {
    const text = this.#takeText().split("\n").map(toSingleLine).join("\n").trim();
    if (text !== "") this.#blocks.push({ type: "paragraph", text });
  }

  #takeText(): string {
    const text = cleanText(this.#text);
    this.#text = "";
    return text;
  }
}
