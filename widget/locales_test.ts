import { assert, assertEquals } from "@std/assert";
import { failureMessage } from "./failure.ts";
import { LANGUAGES } from "./languages.ts";
import { findLocale } from "./locales.ts";
import * as say from "./string_ids.ts";

Deno.test("languages: at least twelve, each with every string", () => {
  assert(Object.keys(LANGUAGES).length >= 12);
  for (const [lang, line] of Object.entries(LANGUAGES)) {
    const words = line.split("|");
    assertEquals(words.length, Object.keys(say).length, lang);
    assert(words.every((word) => word.trim() === word && word), lang);
  }
});

Deno.test("findLocale: a region falls back to its language, an unknown language to English", () => {
  assertEquals(findLocale("pt-BR", LANGUAGES).lang, "pt");
  assertEquals(findLocale("AR", LANGUAGES).dir, "rtl");
  assertEquals(findLocale("xx", LANGUAGES).t(say.OPEN_CHAT), "Open chat");
  assertEquals(findLocale("", LANGUAGES).lang, "en");
});

Deno.test("failureMessage: rounds a wait up, so that it is never too early", () => {
  const en = findLocale("en", LANGUAGES);
  const after = (seconds: number) =>
    failureMessage(
      { code: "x", stringId: say.UNAVAILABLE, retry: "new", retryAt: seconds * 1000 },
      en,
      0,
    )
      .replace("The chat is not available right now. Try again ", "");
  assertEquals([1, 60, 61, 5400, 5401, 7201, 172_800, 172_801].map(after), [
    "in 1 minute.",
    "in 1 minute.",
    "in 2 minutes.",
    "in 90 minutes.",
    "in 2 hours.",
    "in 3 hours.",
    "in 48 hours.",
    "in 3 days.",
  ]);
});
