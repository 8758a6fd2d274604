import { assertEquals } from "@std/assert";
import { diffLines } from "./line_diff.ts";

const MARKS = { same: " ", gone: "-", new: "+", gap: "~" };
/** Each line behind its mark. */
function told(before: string, after: string): string[] {
  return diffLines(before, after).map((line) =>
    MARKS[line.kind] + ("text" in line ? line.text : "")
  );
}

Deno.test("diffLines: a changed line is gone and new, between what stays near it", () => {
  const lines = Array.from("abcdefghi");
  const after = lines.with(4, "E");
  assertEquals(told(lines.join("\n"), after.join("\n")), [
    ..."~",
    " c",
    " d",
    "-e",
    "+E",
    " f",
    " g",
    "~",
  ]);
});

Deno.test("diffLines: what is moved in between stays in its order", () => {
  assertEquals(told("a\nb\nc", "a\nx\nb\nd\nc"), [" a", "+x", " b", "+d", " c"]);
  assertEquals(told("", "a"), ["+a"]);
  assertEquals(told("a", ""), ["-a"]);
  assertEquals(told("a\nb", "a\nb"), ["~"]);
});

Deno.test("diffLines: texts too long to compare are replaced as a whole", () => {
  const many = (mark: string) => Array.from({ length: 1_100 }, (_, n) => mark + n).join("\n");
  const kinds = diffLines(many("a"), many("b")).map(({ kind }) => kind);
  assertEquals([kinds.length, kinds.indexOf("new")], [2_200, 1_100]);
});
