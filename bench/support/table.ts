/** Rows as columns: the first is aligned to the left, the others to the right. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, i) =>
    Math.max(...[head, ...rows].map((row) => (row[i] ?? "").length))
  );
  const line = (row: readonly string[]) =>
    row.map((cell, i) => i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)).join("  ");
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return [line(head), rule, ...rows.map(line)].join("\n");
}

/** A number with its significant digits: `288,000`, `41.3`, `0.21`. */
export function formatNumber(n: number): string {
  if (n === 0) return "0";
  const digits = Math.abs(n) >= 100 ? 0 : Math.abs(n) >= 10 ? 1 : 2;
  const rounded = Math.abs(n) >= 10_000 ? Number(n.toPrecision(3)) : n;
  return rounded.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
