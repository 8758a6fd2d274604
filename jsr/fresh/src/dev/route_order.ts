const SPECIAL = [
  "_app",
  "_middleware",
  "_layout",
  "_error",
  "_500",
  "_404",
  "index",
];

/**
 * Order of route files: what surrounds a folder comes before the folder's routes, and patterns go from
 * narrow to wide, as the first that matches is taken.
 */
export function compareRouteIds(a: string, b: string): number {
  const as = a.split("/");
  const bs = b.split("/");
  for (let i = 0; i < Math.min(as.length, bs.length); i++) {
    const [x = "", y = ""] = [as[i], bs[i]];
    if (x === y) continue;
    return rank(x) - rank(y) || (x < y ? -1 : 1);
  }
  return bs.length - as.length;
}

function rank(segment: string): number {
  const special = SPECIAL.indexOf(segment);
  if (special >= 0) return special;
  if (segment.startsWith("[...")) return 14;
  if (segment.startsWith("[")) return 12;
  if (segment.startsWith("(")) return 11;
  return segment.includes("[") ? 10 : 9;
}
