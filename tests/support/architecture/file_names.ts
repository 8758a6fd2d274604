/**
 * File names that do not say what the file holds. Routes are named by their address, components and
 * islands by the component they export, everything in `lib/` in snake_case by its exports.
 */

/** The files whose name breaks the convention, as sentences. Tests have the name of what they test. */
export function wrongNames(files: readonly { path: string; text: string }[]): string[] {
  return files.flatMap(({ path, text }) => {
    if (/_test\.tsx?$|\.d\.ts$/.test(path)) return [];
    const problem = problemOf(path, exportsOf(text));
    return problem === undefined ? [] : [`${path}: ${problem}`];
  });
}

function problemOf(path: string, names: readonly string[]): string | undefined {
  const segments = path.replace(/\.tsx?$/, "").split("/");
  const base = segments.at(-1)!;
  switch (segments[0]) {
    case "lib":
      return libProblem(segments.slice(1), names);
    case "routes":
      return segments.slice(1).every(isRouteSegment) ? undefined : "is not the address of a route";
    case "components":
    case "islands":
      return isComponentFile(base, names) ? undefined : `exports no component ${base}`;
  }
}

/** All words of the name but one occur in the name of an export or of a folder. */
function libProblem(segments: readonly string[], names: readonly string[]): string | undefined {
  if (!segments.every((segment) => /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(segment))) {
    return "is not in snake_case";
  }
  // A file without exports is an entry point.
  if (names.length === 0) return;
  const words = segments.at(-1)!.split("_");
  const known = [
    ...names.flatMap(wordsOf),
    ...segments.slice(0, -1).flatMap((one) => one.split("_")),
  ];
  const unknown = words.filter((word) => !known.some((other) => isSameWord(word, other)));
  return unknown.length > (words.length > 1 ? 1 : 0)
    ? `no export has the words ${unknown.join(", ")}`
    : undefined;
}

/** `Table` exports `Table`; `ValueFields` exports `NumberField` and `LinesField`. */
function isComponentFile(base: string, names: readonly string[]): boolean {
  const plural = base.replace(/^.*(?=[A-Z])/, "");
  const endsSo = (name: string) => name.endsWith(plural) || name.endsWith(plural.slice(0, -1));
  return names.includes(base) || base.endsWith("s") && names.some(endsSo);
}

/** A folder or file of `routes/`: a word of the address, `[param]`, `(group)` or one of Fresh's own. */
function isRouteSegment(segment: string): boolean {
  return /^(?:[a-z0-9]+(?:[.-](?:[a-z0-9]+|\[[a-z]+\]))*|\[[a-zA-Z]+\]|\([a-z]+\))$/.test(
    segment,
  ) ||
    /^_(?:app|error|layout|middleware)$/.test(segment);
}

function exportsOf(text: string): string[] {
  const declared =
    /^export (?:default )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type|enum) +(\w+)/gm;
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)]
    .flatMap(([, list]) => list!.split(","))
    .map((entry) => entry.trim().replace(/^type /, "").split(" as ").at(-1)!)
    .filter((name) => name !== "");
  return [...text.matchAll(declared)].map(([, name]) => name!).concat(listed);
}

/** `usdPerMTok` as `usd`, `per`, `m`, `tok`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .split("_");
}

/** True for forms of one word: `code` and `codes`, `encodings` and `encode`. */
function isSameWord(one: string, other: string): boolean {
  if (one === other) return true;
  const length = Math.min(5, one.length - 1, other.length - 1);
  return length >= 3 && one.slice(0, length) === other.slice(0, length);
}
