import { assertEquals } from "@std/assert";
import { formatNumber, formatTable } from "./table.ts";

Deno.test("formatTable: aligns names to the left and figures to the right", () => {
  assertEquals(
    formatTable(["case", "per s"], [["one", "9"], ["another", "1,234"]]),
    ["case     per s", "-------  -----", "one          9", "another  1,234"].join("\n"),
  );
});

Deno.test("formatNumber: shows the significant digits", () => {
  const shown = [0, 0.2149, 41.26, 278.4, 9_999, 288_123].map(formatNumber);
  assertEquals(shown, ["0", "0.21", "41.3", "278", "9,999", "288,000"]);
});
