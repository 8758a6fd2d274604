import { assertEquals } from "@std/assert";
import { cutText } from "./cut_text.ts";

Deno.test("cutText: drops halves of characters at both ends, and nothing else", () => {
  assertEquals(cutText("😀😀😀", 1, 5), "😀");
  assertEquals(cutText("😀😀😀", 0, 4), "😀😀");
  assertEquals(cutText("abc", 1, 2), "b");
  assertEquals(cutText("😀", 0, 1), "");
});
