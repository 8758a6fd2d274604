import { assertEquals } from "@std/assert";
import { parseCsv } from "./parse_csv.ts";

Deno.test("parseCsv: finds the separator, and reads quotes and line ends in cells", () => {
  const rows = ["Name | Price", "Lamp, red | 19,90", "two lines | 3"];
  const table = [{ type: "table" as const, rows, hasHeader: true }];
  assertEquals(parseCsv('Name;Price\r\n"Lamp, red";19,90\r\n"two\nlines";3\r\n'), table);
  assertEquals(parseCsv('Name\tPrice\n"Lamp, red"\t19,90\ntwo lines\t3'), table);
  assertEquals(parseCsv('Name,Price\n"Lamp, red","19,90"\ntwo lines,3\n\n,\n'), table);
});

Deno.test("parseCsv: a first row of values is no header, and one column is paragraphs", () => {
  assertEquals(parseCsv("1,2\n3,4"), [{
    type: "table",
    rows: ["1 | 2", "3 | 4"],
    hasHeader: false,
  }]);
  assertEquals(parseCsv("one\ntwo"), [
    { type: "paragraph", text: "one" },
    { type: "paragraph", text: "two" },
  ]);
  assertEquals(parseCsv(""), []);
});
