/** Aligns rows as columns; the first row has the column names. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const columns = rows[0]?.map((_, at) => Math.max(...rows.map((row) => [...row[at]!].length)));
  return rows
    .map((row) => row.map((cell, at) => cell.padEnd(columns![at]!)).join("  ").trimEnd())
    .join("\n");
}

/** A time to the minute, or a dash. */
export function formatMinute(time: string | undefined): string {
  return time === undefined ? "-" : `${time.slice(0, 16).replace("T", " ")}Z`;
}
