// @ts-types="@types/papaparse"
import Papa from "papaparse";
import { type Block, CELL_SEPARATOR } from "./block.ts";
import { cleanText, toSingleLine } from "./decode_text.ts";

/** Rows of text that is separated by commas, semicolons, tabs or vertical lines. */
export function parseCsv(text: string): Block[] {
  const { data } = Papa.parse<string[]>(cleanText(text), { skipEmptyLines: "greedy" });
  return tableOf(data);
}

/**
 * A table of rows of cells. The first row names the columns if all of its cells are different words and
 * another row follows. A table of one column is paragraphs.
 */
export function tableOf(rows: readonly (readonly string[])[]): Block[] {
  const cells = rows.map((row) => row.map(toSingleLine))
    .filter((row) => row.some((cell) => cell !== ""));
  if (cells.every((row) => row.length < 2)) {
    return cells.map(([text = ""]) => ({ type: "paragraph", text }));
  }
  const lines = cells.map((row) => trimEnd(row).join(CELL_SEPARATOR));
  return [{ type: "table", rows: lines, hasHeader: namesColumns(cells) }];
}

function namesColumns([first = [], ...rows]: readonly (readonly string[])[]): boolean {
  const names = first.filter((cell) => cell !== "");
  return rows.length > 0 && names.length > 1 && new Set(names).size === names.length &&
    names.every((name) => /\p{L}/u.test(name));
}

/** Without empty cells at the end, of which sheets have many. */
function trimEnd(row: readonly string[]): readonly string[] {
  return row.slice(0, row.findLastIndex((cell) => cell !== "") + 1);
}
