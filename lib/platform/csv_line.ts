/**
 * Spreadsheets run cells that begin like this as formulas, some the full-width forms too. Texts come
 * from users and visitors, and RFC 4180 does not cover this.
 */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;

/** A text as a cell of CSV (RFC 4180) that spreadsheets do not run. */
export function csvText(text: string): string {
  const harmless = FORMULA.test(text.trimStart()) || FORMULA.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** Cells that are quoted already, or numbers. */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.join(",")}\r\n`;
}
