import { assertEquals } from "@std/assert";
import { textIssues } from "./text_issues.ts";

const HALF = "\ud83d";

Deno.test("textIssues: reports lone surrogates and NUL in strings and field names", () => {
  const value = {
    a: HALF,
    b: [{ c: "x\0" }],
    [`d${HALF}`]: { e: 1, f: null },
    g: { "\0": [true] },
  };
  const issues = textIssues(value, 9);
  assertEquals(issues.map(({ path }) => path), ["a", "b.0.c", `d${HALF}`, "g.\0"]);
  assertEquals(new Set(issues.map(({ code }) => code)), new Set(["not_plain_text"]));
  assertEquals(textIssues(HALF, 9).map(({ path }) => path), [""]);
});

Deno.test("textIssues: accepts whole characters of any script", () => {
  assertEquals(textIssues({ "😀": ["é", "日本", "\u200b\ufffd\n", 1, true, null, {}] }, 9), []);
});

Deno.test("textIssues: stops at the maximum", () => {
  let reads = 0;
  const endless = Array.from({ length: 1_000 }, () => ({
    get text() {
      reads++;
      return "\0";
    },
  }));
  assertEquals(textIssues([[endless]], 3).map(({ path }) => path), [
    "0.0.0.text",
    "0.0.1.text",
    "0.0.2.text",
  ]);
  assertEquals(reads, 3);
});
