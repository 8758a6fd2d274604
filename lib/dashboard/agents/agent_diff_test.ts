import { assertEquals } from "@std/assert";
import { diffLines } from "./agent_diff.ts";

const MARKS = { same: " ", gone: "-", new: "+", gap: "~" };

function markedLines(before: string, after: string): string[] {
  return diffLines(before, after).map((line) =>
    MARKS[line.kind] + ("text" in line ? line.text : "")
  );
}

Deno.test("diffLines: shows a changed line as removed and added, between its context", () => {
  const lines = Array.from("abcdefghi");
  const after = lines.with(4, "E");
  assertEquals(markedLines(lines.join("\n"), after.join("\n")), [
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

Deno.test("diffLines: collapses unchanged lines between distant changes", () => {
  const lines = Array.from("abcdefghijk");
  const after = lines.with(0, "A").with(6, "G");
  assertEquals(markedLines(lines.join("\n"), after.join("\n")), [
    ...["-a", "+A", " b", " c", "~", " e", " f", "-g", "+G", " h", " i", "~"],
  ]);
});

Deno.test("diffLines: keeps the order of inserted lines and handles empty texts", () => {
  assertEquals(markedLines("a\nb\nc", "a\nx\nb\nd\nc"), [" a", "+x", " b", "+d", " c"]);
  assertEquals(markedLines("", "a"), ["+a"]);
  assertEquals(markedLines("a", ""), ["-a"]);
  assertEquals(markedLines("a\nb", "a\nb"), ["~"]);
  assertEquals(markedLines("a", "a\n"), [" a", "+"]);
  assertEquals(markedLines("\\ a", "- b"), ["-\\ a", "+- b"]);
});

Deno.test("diffLines: shows texts with too many changes as replaced", () => {
  const many = (mark: string) => Array.from({ length: 1_100 }, (_, n) => mark + n).join("\n");
  const kinds = diffLines(many("a"), many("b")).map(({ kind }) => kind);
  assertEquals([kinds.length, kinds.indexOf("new")], [2_200, 1_100]);
});
