import { isNode, isPair, isScalar, LineCounter, parseDocument, type YAMLMap } from "yaml";
import { isMap, isSeq, type Node } from "yaml";

/** The body limit of the API. */
export const MAX_SOURCE_BYTES = 1_048_576;
const MAX_DEPTH = 64;
const TOO_DEEP = "is nested too deeply";
/** Copies that aliases make: enough for people, too few to fill the memory. */
const MAX_ALIASES = 100;

export type SourcePath = readonly (string | number)[];

/** What is wrong in a file. `line` is absent for the file itself. */
export interface FolderIssue {
  /** Relative to the folder. */
  file: string;
  line?: number | undefined;
  /** Dotted; empty for the whole. */
  field: string;
  message: string;
}

/** A parsed file whose values know their lines. */
export interface Source {
  value: unknown;
  lineOf(path: SourcePath): number | undefined;
}

/** Parses a file of YAML, of which JSON is a part. */
export function parseSource(
  bytes: Uint8Array,
  file: string,
): { source: Source } | { issues: FolderIssue[] } {
  const fail = (message: string, line?: number) => ({
    issues: [{ file, line, field: "", message }],
  });
  if (bytes.length > MAX_SOURCE_BYTES) return fail("is larger than 1 MiB");
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return fail("is not UTF-8");
  }
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, {
      ...{ lineCounter: lines, prettyErrors: false, stringKeys: true, logLevel: "error" },
    });
    // A warning is an unknown tag, whose value would be a guess.
    const problems = [...document.errors, ...document.warnings];
    if (problems.some(({ message }) => /call stack/i.test(message))) return fail(TOO_DEEP);
    if (problems.length > 0) {
      return {
        issues: problems.slice(0, 10).map(({ code, message, pos }) => {
          const text = code === "MULTIPLE_DOCS" ? "has more than one document" : oneLine(message);
          return { file, line: lines.linePos(pos[0]).line, field: "", message: text };
        }),
      };
    }
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    const problem = valueProblem(value);
    if (problem !== undefined) return fail(problem);
    const root = document.contents;
    return { source: { value, lineOf: (path) => lineAt(root, path, lines) } };
  } catch (error) {
    if (error instanceof RangeError) return fail(TOO_DEEP);
    if (error instanceof ReferenceError) return fail("has aliases that expand to too much");
    return fail(error instanceof Error ? oneLine(error.message) : String(error));
  }
}

function valueProblem(value: unknown, depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
  if (typeof value === "number" && !Number.isFinite(value)) {
    return "has a number that is not finite";
  }
  if (typeof value === "bigint") return "has a number that is too large";
  if (typeof value !== "object" || value === null) return undefined;
  if (Object.hasOwn(value, "__proto__")) return "has a field named __proto__";
  for (const one of Object.values(value)) {
    const problem = valueProblem(one, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The line of the deepest part of a path that exists: a missing field is reported at its parent. */
function lineAt(root: Node | null, path: SourcePath, lines: LineCounter): number | undefined {
  let offset = root?.range?.[0];
  let node: unknown = root;
  for (const part of path) {
    if (isMap(node)) {
      const pair = pairOf(node, String(part));
      if (pair === undefined) break;
      if (isNode(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      if (!isNode(node)) break;
      offset = node.range?.[0] ?? offset;
    } else break;
  }
  return offset === undefined ? undefined : lines.linePos(offset).line;
}

function pairOf(map: YAMLMap, name: string) {
  return map.items.find((item) =>
    isPair(item) && isScalar(item.key) && String(item.key.value) === name
  );
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
