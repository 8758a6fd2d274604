/** Characters that reverse the text after them: what a person approves must read as what is sent. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** A value of a tool as people read it: text as it is, anything else as indented JSON. */
export function formatJson(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value, null, 2).replace(
    DIRECTIONS,
    (mark) => `\\u${mark.charCodeAt(0).toString(16)}`,
  );
}
