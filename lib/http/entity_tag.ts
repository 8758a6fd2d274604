import { ApiError } from "../errors.ts";

/** The strong entity tag of a version: `"3"`. */
export function entityTag(version: number): string {
  return `"${version}"`;
}

/** The version `If-Match` asks for; `undefined` for no condition. Another's tag matches nothing. */
export function ifMatchVersion(req: Request): number | undefined {
  const header = req.headers.get("if-match");
  if (header === null || header.trim() === "*") return undefined;
  const version = /^(?:W\/)?"(\d{1,15})"$/.exec(header.trim())?.[1];
  if (version !== undefined) return Number(version);
  throw new ApiError("version_conflict", "If-Match does not name a version of this agent");
}

/** Whether `If-None-Match` already names `version`. */
export function isNotModified(req: Request, version: number): boolean {
  const header = req.headers.get("if-none-match");
  if (header === null) return false;
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(entityTag(version));
}
