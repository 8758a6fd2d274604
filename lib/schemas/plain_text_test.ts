import { assertEquals } from "@std/assert";
import { z } from "zod";
import { plainText } from "./plain_text.ts";

Deno.test("plainText: accepts any script and rejects lone surrogates and NUL", () => {
  const schema = plainText(z.string().max(20));
  const takes = (text: string) => schema.safeParse(text).success;
  assertEquals(["a\nb", "日本語", "👩‍🌾", "", "\ud800", "a\udc00b", "a\0b"].map(takes), [
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});
