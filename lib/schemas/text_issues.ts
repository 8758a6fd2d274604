import type { ValidationIssue } from "./error_codes.ts";
import { NOT_PLAIN_TEXT, plainTextIssue } from "./plain_text.ts";

/** Callers choose field names: 100 issues below a long one gave a response of 88 MB. */
export const MAX_PATH_LENGTH = 512;

/**
 * The first `max` strings and field names in a JSON value that are not plain text, with dotted paths.
 * Recursive: only for values of limited depth.
 */
export function textIssues(root: unknown, max: number): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const names: string[] = [];
  const check = (text: string) => {
    const message = plainTextIssue(text);
    if (message === undefined) return;
    const path = names.map((name) => name.slice(0, MAX_PATH_LENGTH)).join(".");
    issues.push({ path, code: NOT_PLAIN_TEXT, message });
  };
  // Collects in place: returning lists level by level took 15 s for 110,000 strings in 60 nested lists
  // and blocked the event loop.
  const walk = (value: unknown) => {
    if (typeof value === "string") return check(value);
    if (typeof value !== "object" || value === null) return;
    for (const name of Object.keys(value)) {
      if (issues.length >= max) return;
      names.push(name);
      if (!Array.isArray(value)) check(name);
      walk((value as Record<string, unknown>)[name]);
      names.pop();
    }
  };
  walk(root);
  return issues.slice(0, max);
}
