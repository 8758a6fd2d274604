/**
 * Spreadsheets run cells that begin like this as formulas, some the full-width forms too. Texts come
 * from users and visitors, and RFC 4180 does not cover this.
 */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;

/** A spreadsheet that separates cells or rows by these ends one there, even inside quotes that began before. */
const CELL_BREAK = /[;\t|\r\n]\s*/g;

/** A text as a cell of CSV (RFC 4180) that spreadsheets do not run, whatever separates their cells. */
export function csvText(text: string): string {
  const parts = text.replace(CELL_BREAK, (gap, at: number) => {
    return FORMULA.test(text.charAt(at + gap.length)) ? `${gap}'` : gap;
  });
  const harmless = FORMULA.test(parts.trimStart()) || FORMULA.test(parts) ? `'${parts}` : parts;
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** Cells that are quoted already, or numbers. */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.join(",")}\r\n`;
}
