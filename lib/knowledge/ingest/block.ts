/** A structural part of a document; all text is plain. */
export type Block =
  | {
    type: "heading";
    /** 1 is the outermost. */
    level: number;
    text: string;
  }
  | { type: "paragraph"; text: string }
  | { type: "code"; text: string }
  | { type: "list"; items: string[] }
  | {
    type: "table";
    /** One line per row, with its cells joined by `CELL_SEPARATOR`. */
    rows: string[];
    /** Whether the first row names the columns. */
    hasHeader: boolean;
  };

export const CELL_SEPARATOR = " | ";
