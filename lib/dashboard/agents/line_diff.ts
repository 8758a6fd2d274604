/** A line of a comparison. `gap` stands for lines that are the same and not shown. */
export type DiffLine = { kind: "same" | "gone" | "new"; text: string } | { kind: "gap" };

/** Unchanged lines shown around a change. */
const CONTEXT = 2;
/** Comparing takes time and memory by the product of the lengths; beyond, all of it is replaced. */
const MAX_CELLS = 1_000_000;

/** What becomes of `before` in `after`, line by line; what stays is shown only near a change. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [toLines(before), toLines(after)];
  const head = commonPrefixLength(old, fresh);
  const tail = commonPrefixLength(old.slice(head).reverse(), fresh.slice(head).reverse());
  const same = (lines: string[]) => lines.map((text) => ({ kind: "same" as const, text }));
  return collapseUnchanged([
    ...same(old.slice(0, head)),
    ...compareLines(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)),
    ...same(old.slice(old.length - tail)),
  ]);
}

type VisibleLine = Exclude<DiffLine, { kind: "gap" }>;

function toLines(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}

function commonPrefixLength(a: string[], b: string[]): number {
  const end = a.findIndex((line, n) => line !== b[n]);
  return end === -1 ? a.length : end;
}

function compareLines(old: string[], fresh: string[]): VisibleLine[] {
  if (old.length * fresh.length > MAX_CELLS) {
    return [...markLines("gone", old), ...markLines("new", fresh)];
  }
  const longest = longestCommonLengths(old, fresh);
  const lines: VisibleLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < fresh.length) {
    if (old[i] === fresh[j]) {
      lines.push({ kind: "same", text: old[i++]! });
      j++;
    } else if (longest[i + 1]![j]! >= longest[i]![j + 1]!) {
      lines.push({ kind: "gone", text: old[i++]! });
    } else lines.push({ kind: "new", text: fresh[j++]! });
  }
  return [...lines, ...markLines("gone", old.slice(i)), ...markLines("new", fresh.slice(j))];
}

function markLines(kind: "gone" | "new", lines: string[]): VisibleLine[] {
  return lines.map((text) => ({ kind, text }));
}

/** At `[i][j]`: how many lines the ends of both, from `i` and from `j`, can have in common. */
function longestCommonLengths(old: string[], fresh: string[]): Uint32Array[] {
  const rows = Array.from({ length: old.length + 1 }, () => new Uint32Array(fresh.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      rows[i]![j] = old[i] === fresh[j]
        ? rows[i + 1]![j + 1]! + 1
        : Math.max(rows[i + 1]![j]!, rows[i]![j + 1]!);
    }
  }
  return rows;
}

function collapseUnchanged(lines: VisibleLine[]): DiffLine[] {
  const near = new Set<number>();
  lines.forEach(({ kind }, n) => {
    if (kind === "same") return;
    for (let at = n - CONTEXT; at <= n + CONTEXT; at++) near.add(at);
  });
  return lines.flatMap((line, n): DiffLine[] => {
    if (near.has(n)) return [line];
    return n === 0 || near.has(n - 1) ? [{ kind: "gap" }] : [];
  });
}
