import type { ValidationIssue } from "./wire/error_codes.ts";
import { textFault } from "./wire/plain_text.ts";

/**
 * Every text in a JSON value that is not plain, names of fields included, with its dotted path: also
 * where a schema takes any JSON. Call it on what is known not to be nested deeply.
 */
export function textFaults(value: unknown): ValidationIssue[] {
  if (typeof value === "string") return faultsOf(value);
  if (typeof value !== "object" || value === null) return [];
  const faults: ValidationIssue[] = [];
  for (const [key, inner] of Object.entries(value)) {
    for (const { path, ...fault } of [...faultsOf(key), ...textFaults(inner)]) {
      faults.push({ path: path === "" ? key : `${key}.${path}`, ...fault });
    }
  }
  return faults;
}

function faultsOf(text: string): ValidationIssue[] {
  const message = textFault(text);
  return message === undefined ? [] : [{ path: "", code: "not_plain_text", message }];
}
