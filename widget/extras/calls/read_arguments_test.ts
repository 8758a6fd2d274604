import { assertEquals } from "@std/assert";
import { readArguments } from "./read_arguments.ts";

const read = (args: unknown) => readArguments(args).map(({ label, text }) => [label, text]);

Deno.test("readArguments: a row for each argument, as a person reads it", () => {
  assertEquals(read({ order_id: "A-1", amount: 12.5, gift: false, note: null, lines: [1, 2] }), [
    ["order_id", "A-1"],
    ["amount", "12.5"],
    ["gift", "false"],
    ["note", "null"],
    ["lines", "[\n 1,\n 2\n]"],
  ]);
  assertEquals([read({}), read(null)], [[], []]);
});

Deno.test("readArguments: markup stays text, and nothing turns the direction of a value", () => {
  assertEquals(read({ to: `<img src=x onerror=alert(1)>`, amount: "\u202e001\u2069" }), [
    ["to", `<img src=x onerror=alert(1)>`],
    ["amount", "\ufffd001\ufffd"],
  ]);
  assertEquals(read({ "a\u202eb": { "\u2066": 1 } }), [["a\ufffdb", `{\n "\ufffd": 1\n}`]]);
});

Deno.test("readArguments: what cannot be seen is marked, but emoji and Persian stay as they are", () => {
  const hidden = [
    "\u200b",
    "\u200f",
    "\u061c",
    "\u00ad",
    "\u2060",
    "\ufeff",
    "\u{e0041}",
    "\u3164",
  ];
  for (const one of hidden) assertEquals(read({ to: `a${one}b` }), [["to", "a\ufffdb"]]);
  for (const text of ["👩‍👧 ❤️", "می‌خواهم"]) assertEquals(read({ text }), [["text", text]]);
});
