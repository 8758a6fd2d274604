import { assertEquals } from "@std/assert";
import { csvLine, csvText } from "./csv_line.ts";

Deno.test("csvText: quotes, and nothing that a spreadsheet would run", () => {
  assertEquals(csvText('a "b", c'), '"a ""b"", c"');
  for (const sign of ["=", "+", "-", "@", "＝"]) {
    assertEquals(csvText(`${sign}1`), `"'${sign}1"`);
    assertEquals(csvText(`  ${sign}1`), `"'  ${sign}1"`);
  }
});

Deno.test("csvText: no formula either where semicolons, tabs or line breaks separate cells", () => {
  assertEquals(csvText("a\n=HYPERLINK(1);y"), `"a\n'=HYPERLINK(1);y"`);
  assertEquals(csvText("a\r\n@x"), `"a\r\n'@x"`);
  assertEquals(csvText("hello;=HYPERLINK(1);"), `"hello;'=HYPERLINK(1);"`);
  assertEquals(csvText("a\t@SUM(1)"), `"a\t'@SUM(1)"`);
  assertEquals(csvText("a; = 1"), `"a; '= 1"`);
  assertEquals(csvText("a; b, c"), '"a; b, c"');
});

Deno.test("csvLine: cells are joined by commas", () => {
  assertEquals(csvLine([csvText("a"), 1]), '"a",1\r\n');
});

Deno.test("csvText: a long run of line breaks takes no longer than other text", () => {
  const text = "\n".repeat(2_000_000);
  assertEquals(csvText(text).length, text.length + 3);
});
