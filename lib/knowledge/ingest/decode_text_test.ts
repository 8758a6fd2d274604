import { assertEquals } from "@std/assert";
import { decodeText } from "./decode_text.ts";
import { utf8Length } from "../../platform/utf8.ts";
import { estimateTokens } from "./split_text.ts";

Deno.test("decodeText: by mark, zero bytes, UTF-8, label and the browsers' default, in this order", () => {
  const utf8 = new TextEncoder().encode("ä世");
  assertEquals(decodeText(utf8, "iso-8859-1"), "ä世");
  assertEquals(decodeText(Uint8Array.of(0xff, 0xfe, 0x61, 0)), "a");
  assertEquals(decodeText(Uint8Array.of(0, 0x61, 0, 0x62)), "ab");
  assertEquals(decodeText(Uint8Array.of(0xe4), "iso-8859-5"), "ф");
  assertEquals(decodeText(Uint8Array.of(0x80, 0xe4)), "€ä");
  assertEquals(decodeText(Uint8Array.of(0xe4), "no such label"), "ä");
  assertEquals(decodeText(new Uint8Array()), "");
  assertEquals(decodeText(new TextEncoder().encode("ä世界").slice(0, -1)), "ä世\ufffd");
});

Deno.test("estimateTokens: a quarter of the bytes, in any script", () => {
  for (const text of ["", "abcd", "naïve", "世界", "👩‍👩‍👧‍👦"]) {
    assertEquals(utf8Length(text), new TextEncoder().encode(text).length);
  }
  assertEquals([estimateTokens(""), estimateTokens("abcde"), estimateTokens("世界")], [0, 2, 2]);
});
