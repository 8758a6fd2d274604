/** A part of a document as its author set it apart; all text is plain. */
export type Block =
  | {
    type: "heading";
    /** From 1, the outermost. */
    level: number;
    text: string;
  }
  | { type: "paragraph"; text: string }
  | { type: "code"; text: string }
  | { type: "list"; items: string[] }
  | {
    type: "table";
    /** One line a row, its cells set apart by ` | `. */
    rows: string[];
    /** The first row names the columns. */
    hasHeader: boolean;
  };

/** How the cells of a row are put together. */
export const CELL_SEPARATOR = " | ";
