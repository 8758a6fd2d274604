import { assert, assertEquals } from "@std/assert";
import { sentence } from "./failure.ts";
import { LANGUAGES } from "./languages.ts";
import { localeOf } from "./locales.ts";
import * as say from "./say.ts";

Deno.test("languages: at least twelve, each with every string", () => {
  assert(Object.keys(LANGUAGES).length >= 12);
  for (const [lang, line] of Object.entries(LANGUAGES)) {
    const words = line.split("|");
    assertEquals(words.length, Object.keys(say).length, lang);
    assert(words.every((word) => word.trim() === word && word), lang);
  }
});

Deno.test("localeOf: a region falls back to its language, an unknown language to English", () => {
  assertEquals(localeOf("pt-BR", LANGUAGES).lang, "pt");
  assertEquals(localeOf("AR", LANGUAGES).dir, "rtl");
  assertEquals(localeOf("xx", LANGUAGES).t(say.OPEN), "Open chat");
  assertEquals(localeOf("", LANGUAGES).lang, "en");
});

Deno.test("sentence: a wait is rounded up, so that it is never promised too early", () => {
  const en = localeOf("en", LANGUAGES);
  const after = (seconds: number) =>
    sentence({ code: "x", say: say.GONE, retry: "new", retryAt: seconds * 1000 }, en, 0)
      .replace("The chat is not available right now. Try again ", "");
  assertEquals([1, 60, 61, 5400, 5401, 7201].map(after), [
    "in 1 minute.",
    "in 1 minute.",
    "in 2 minutes.",
    "in 90 minutes.",
    "in 2 hours.",
    "in 3 hours.",
  ]);
});
