import { assertEquals } from "@std/assert";
import { titleOf } from "./conversation_title.ts";

const of = (content: string) => titleOf([{ role: "user", content }]);

Deno.test("titleOf: the first question in one line", () => {
  const messages = [
    { role: "assistant", content: "Welcome" },
    { role: "user", content: "  Where\n\tis\u0007 it? " },
    { role: "user", content: "And now?" },
  ];
  assertEquals(titleOf(messages), "Where is it?");
  assertEquals([titleOf([]), of(" \n ")], ["", ""]);
});

Deno.test("titleOf: at most 80 characters, cut at a word if there is one", () => {
  const words = (last: string) => `${"word ".repeat(15)}${last}`;
  assertEquals(of(words("right")), words("right"));
  assertEquals(of(words("right more")), words("right"));
  assertEquals(of(words("longer")), words("").trimEnd());
  assertEquals(of("x".repeat(81)), "x".repeat(80));
  assertEquals(of("x".repeat(79) + "😀"), "x".repeat(79), "no half of an emoji");
});
