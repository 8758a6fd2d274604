import { assertEquals } from "@std/assert";
import { textIssues } from "./text_issues.ts";

const HALF = "\ud83d";

Deno.test("textIssues: half characters and NUL are told wherever they stand, names included", () => {
  const value = {
    a: HALF,
    b: [{ c: "x\0" }],
    [`d${HALF}`]: { e: 1, f: null },
    g: { "\0": [true] },
  };
  const faults = textIssues(value, 9);
  assertEquals(faults.map(({ path }) => path), ["a", "b.0.c", `d${HALF}`, "g.\0"]);
  assertEquals(new Set(faults.map(({ code }) => code)), new Set(["not_plain_text"]));
  assertEquals(textIssues(HALF, 9).map(({ path }) => path), [""]);
});

Deno.test("textIssues: whole characters of any script are none", () => {
  assertEquals(textIssues({ "😀": ["é", "日本", "\u200b\ufffd\n", 1, true, null, {}] }, 9), []);
});

Deno.test("textIssues: looks no further than it was asked to", () => {
  let looked = 0;
  const endless = Array.from({ length: 1_000 }, () => ({
    get text() {
      looked++;
      return "\0";
    },
  }));
  assertEquals(textIssues([[endless]], 3).map(({ path }) => path), [
    "0.0.0.text",
    "0.0.1.text",
    "0.0.2.text",
  ]);
  assertEquals(looked, 3);
});
