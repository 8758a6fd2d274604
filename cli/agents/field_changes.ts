import { diffLines } from "diff";
import { canonicalJson } from "../../lib/platform/canonical_json.ts";
import { isJsonObject } from "../../lib/platform/json.ts";

const MAX_TEXT = 120;
const MAX_LINES = 40;

/** What differs between two values, a line for each field. Empty if they are equal. */
export function fieldChanges(before: unknown, after: unknown, path = ""): string[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  if (isJsonObject(before) && isJsonObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name) => fieldChanges(before[name], after[name], join(path, name)));
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const longest = Math.max(before.length, after.length);
    return Array.from({ length: longest }, (_, n) => n)
      .flatMap((n) => fieldChanges(before[n], after[n], join(path, String(n))));
  }
  if (typeof before === "string" && typeof after === "string" && isLong(before, after)) {
    return [`${plain(path)}:`, ...lineChanges(before, after)];
  }
  return [`${plain(path)}: ${shown(before)} -> ${shown(after)}`];
}

function isLong(...texts: string[]): boolean {
  return texts.some((text) => text.includes("\n") || text.length > MAX_TEXT);
}

function lineChanges(before: string, after: string): string[] {
  const lines = diffLines(before, after).flatMap(({ added, removed, value }) => {
    if (!added && !removed) return [];
    const sign = added ? "+" : "-";
    return value.replace(/\n$/, "").split("\n").map((line) => `  ${sign} ${plain(line)}`);
  });
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `  and ${more} more lines`] : lines;
}

function shown(value: unknown): string {
  if (value === undefined) return "(none)";
  const text = plain(typeof value === "string" ? JSON.stringify(value) : canonicalJson(value));
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** A terminal must not obey what somebody wrote into a prompt. */
export function plain(text: string): string {
  // deno-lint-ignore no-control-regex -- these are what a terminal obeys
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g, " ");
}
