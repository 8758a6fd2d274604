/** Characters that make a path a pattern rather than a literal. */
export const IS_PATTERN = /[*:{}+?()]/;

/**
 * Turns the path of a route file, without folder root and extension (`blog/[slug]`), into a
 * URLPattern pathname (`/blog/:slug`). Groups such as `(admin)` vanish unless `keepGroups`: scopes
 * keep them, URLs do not. Throws SyntaxError for names that would match ambiguously.
 */
export function fileToPattern(path: string, options: { keepGroups?: boolean } = {}): string {
  const segments = path.split("/").filter((segment) => segment !== "");
  if (segments.at(-1) === "index") segments.pop();
  let pattern = "";
  for (const segment of segments) {
    if (!options.keepGroups && /^\(.*\)$/.test(segment)) continue;
    pattern += segmentToPattern(segment, path);
  }
  return pattern === "" ? "/" : pattern;
}

function segmentToPattern(segment: string, path: string): string {
  const rest = segment.match(/^\[\.\.\.(.+)\]$/);
  if (rest !== null) return `/:${rest[1]}*`;
  const pattern = segment.replace(/\[([^[\]]+)\]/g, ":$1");
  if (segment.includes("][") || /[[\]]/.test(pattern)) {
    throw new SyntaxError(
      `Invalid route pattern "${path}": parameters need text between them, and optional ones are ` +
        `not in this build`,
    );
  }
  return `/${pattern}`;
}

/**
 * The scope a pattern belongs to, as segments below the root. The last segment is the resource itself
 * and belongs to the scope only with `includeLast`.
 */
export function patternToScope(pattern: string, includeLast: boolean): string[] {
  if (pattern === "/" || pattern === "*" || pattern === "/*") return [];
  const segments = pattern.split("/");
  if (segments[0] === "") segments.shift();
  const last = segments.pop();
  if (includeLast && last !== undefined && last !== "") segments.push(last);
  return segments;
}
