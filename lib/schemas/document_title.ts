/** A title as it is stored for an uploaded file: one well-formed line without control characters. */
export function plainTitle(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.toWellFormed().replace(/[\0-\x1f\x7f\s]+/g, " ").trim();
}
