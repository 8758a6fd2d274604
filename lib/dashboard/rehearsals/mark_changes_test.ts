import { assertEquals } from "@std/assert";
import { markChanges } from "./mark_changes.ts";

Deno.test("markChanges: marks what only one of the texts has", () => {
  const { before, after } = markChanges("Within 30 days.", "Within 14 days, free.");
  const text = (parts: typeof before, changed: boolean) =>
    parts.filter((part) => part.changed === changed).map((part) => part.text).join("|");
  assertEquals([text(before, true), text(after, true)], ["30", "14|, free"]);
  assertEquals([before, after].map((parts) => parts.map((part) => part.text).join("")), [
    "Within 30 days.",
    "Within 14 days, free.",
  ]);
  assertEquals(markChanges("Same", "Same").after, [{ text: "Same", changed: false }]);
  assertEquals(markChanges("", "New").before, []);
});
