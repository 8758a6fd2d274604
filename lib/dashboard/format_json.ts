/** A value of a tool as people read it: text as it is, anything else as indented JSON. */
export function formatJson(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
