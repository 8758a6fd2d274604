import { AssertionError as NodeAssertionError } from "node:assert";

/** One value as it reads in a failure message: keys sorted, nothing cut off, no colours. */
export function format(value: unknown): string {
  return Deno.inspect(value, {
    depth: Infinity,
    sorted: true,
    trailingComma: true,
    compact: false,
    iterableLimit: Infinity,
    strAbbreviateSize: Infinity,
  });
}

/** `": <msg>"` when the caller gave a message, else a full stop. */
export function suffix(msg: string | undefined): string {
  return msg ? `: ${msg}` : ".";
}

/** The lines in which two values differ, without a heading. */
export function difference(actual: unknown, expected: unknown): string {
  const { message } = new NodeAssertionError({
    actual,
    expected,
    operator: "deepStrictEqual",
  });
  return message.slice(message.indexOf("\n") + 1);
}
