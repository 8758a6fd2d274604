import { testsOfAreas } from "./test_area.ts";
import { assertEquals } from "@std/assert";

Deno.test("testsOfAreas: finds an area's folder and the whole-app tests that are named after it", () => {
  const files = [
    "tests/widget_browser_test.ts",
    "widget/markdown_test.ts",
    "widget/markdown.ts",
    "lib/billing/ledger_test.ts",
    "lib/store/ledger_test.ts",
    "tests/support/widget_page.ts",
  ];
  assertEquals(testsOfAreas(files, ["widget"]), [
    "tests/widget_browser_test.ts",
    "widget/markdown_test.ts",
  ]);
  assertEquals(testsOfAreas(files, ["billing", "store"]), [
    "lib/billing/ledger_test.ts",
    "lib/store/ledger_test.ts",
  ]);
  assertEquals(testsOfAreas(files, ["nothing"]), []);
});
