import { assertEquals } from "@std/assert";
import { readLanguage, withLanguage } from "./request_language.ts";
import { replaceTexts } from "@/tests/support/replace_texts.ts";
import { currentLanguage, perLanguage, rich, t } from "./translate.ts";

const languageOf = (headers: Record<string, string>) => readLanguage(new Headers(headers));

Deno.test("readLanguage: what was chosen, else the browser's first known language, else English", () => {
  assertEquals(languageOf({}), "en");
  assertEquals(languageOf({ "accept-language": "de-AT,de;q=0.9,en;q=0.8" }), "de");
  assertEquals(languageOf({ "accept-language": "fr, en;q=0.5, de;q=0.7" }), "de");
  assertEquals(languageOf({ "accept-language": "fr,es;q=0.5" }), "en");
  assertEquals(languageOf({ "accept-language": "de;q=0, *" }), "en");
  assertEquals(languageOf({ "accept-language": "de", cookie: "language=en" }), "en");
  assertEquals(languageOf({ "accept-language": "de", cookie: "language=xx" }), "de");
});

Deno.test("withLanguage: requests that overlap keep their own languages", async () => {
  const seen = await Promise.all(
    (["de", "en", "de"] as const).map((language) =>
      withLanguage(language, async () => {
        await Promise.resolve();
        return currentLanguage();
      })
    ),
  );
  assertEquals(seen, ["de", "en", "de"]);
  assertEquals(currentLanguage(), "en");
});

Deno.test("perLanguage: each language has its own value, created once", () => {
  const created: string[] = [];
  const format = perLanguage((language) => {
    created.push(language);
    return new Intl.NumberFormat(language);
  });
  const german = withLanguage("de", () => [format().format(1_234.5), format().format(1)]);
  assertEquals([format().format(1_234.5), ...german], ["1,234.5", "1.234,5", "1"]);
  assertEquals(created, ["de", "en"]);
});

Deno.test("t and rich: placeholders are filled wherever the language puts them", () => {
  const texts: Record<string, string> = { "{a} of {b}": "{b}: {a}" };
  using _ = replaceTexts({ language: () => "de", find: (english) => texts[english] });
  assertEquals(t("{a} of {b}", { a: 1, b: "{a}" }), "{a}: 1");
  assertEquals(rich("{a} of {b}", { a: "x", b: "y" }), ["", "y", ": ", "x", ""]);
  assertEquals(t("{a} and {c}", { a: 1 }), "1 and {c}");
});
