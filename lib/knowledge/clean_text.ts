/** Controls that mean nothing in a text: all but tab, line feed, form feed and carriage return. */
// deno-lint-ignore no-control-regex
const CONTROLS = /[\0-\x08\x0b\x0e-\x1f\x7f]/g;

/** Text that every part of the service takes: whole characters, one kind of line end, no controls. */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(CONTROLS, "").replace(/\r\n?|\f|\u2028|\u2029/g, "\n");
}

/** One line: every run of white space is one blank. */
export function toLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
