import { readXml } from "./read_xml.ts";

/** How a cell's number is shown. */
export type NumberKind = "number" | "percent" | "date" | "time" | "date and time";

const DAY_MS = 86_400_000;
/** Day 0 of the two systems; the first counts a 29 February 1900 that never was. */
const EPOCHS = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) };
/** The last day of the year 9999. */
const MAX_DAY = 2_958_465;

/** The formats that programs know by number. */
const BUILT_IN: Readonly<Record<number, NumberKind>> = {
  ...{ 9: "percent", 10: "percent" },
  ...{ 14: "date", 15: "date", 16: "date", 17: "date", 22: "date and time" },
  ...{ 18: "time", 19: "time", 20: "time", 21: "time", 45: "time", 46: "time", 47: "time" },
  ...Object.fromEntries([27, 28, 29, 30, 31, 36, 50, 54, 57, 58].map((n) => [n, "date" as const])),
};

/** The kind of number of each cell style, by its index. */
export function readNumberKinds(styles: Uint8Array | undefined): NumberKind[] {
  const kinds: NumberKind[] = [];
  if (styles === undefined) return kinds;
  const custom = new Map<number, NumberKind>();
  let isCellStyle = false;
  readXml(styles, {
    open(name, { numFmtId = "", formatCode = "" }) {
      if (name === "numFmt") custom.set(Number(numFmtId), kindOfCode(formatCode));
      else if (name === "cellXfs") isCellStyle = true;
      else if (name === "xf" && isCellStyle) {
        const id = Number(numFmtId);
        kinds.push(custom.get(id) ?? BUILT_IN[id] ?? "number");
      }
    },
    close(name) {
      if (name === "cellXfs") isCellStyle = false;
    },
  });
  return kinds;
}

/** Of a format such as `dd/mm/yyyy hh:mm` or `0.0%`. */
function kindOfCode(code: string): NumberKind {
  const [first = ""] = code.toLowerCase().split(";");
  const bare = first.replace(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|_.|\*./g, "");
  const hasDate = /[yd]|mmm/.test(bare);
  const hasTime = /[hs]/.test(bare);
  if (hasDate || (/m/.test(bare) && !hasTime)) return hasTime ? "date and time" : "date";
  if (hasTime) return "time";
  return bare.includes("%") ? "percent" : "number";
}

/** A stored number as people read it: dates as `2026-03-01`, without the noise of binary fractions. */
export function formatNumber(
  stored: string,
  { kind, system }: { kind: NumberKind; system: 1900 | 1904 },
): string {
  const value = Number(stored);
  if (stored.trim() === "" || !Number.isFinite(value)) return stored;
  if (kind === "number") return plain(value);
  if (kind === "percent") return `${plain(value * 100)}%`;
  if (value < 0 || value > MAX_DAY) return plain(value);
  const iso = new Date(EPOCHS[system] + Math.round(value * DAY_MS)).toISOString();
  const [date, time] = [iso.slice(0, 10), iso.slice(11, 16)];
  if (kind === "time") return time;
  return kind === "date" || time === "00:00" ? date : `${date} ${time}`;
}

function plain(value: number): string {
  return String(Number(value.toPrecision(15)));
}
