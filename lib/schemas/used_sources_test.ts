import { assert, assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { usedSources } from "./used_sources.ts";
import { UNSEEN_ANSWERS } from "@/tests/support/unseen_answers.ts";
import { SHOP_ANSWERS, SHOP_PASSAGES } from "@/tests/support/shop_passages.ts";

type Language = keyof typeof SHOP_PASSAGES;

/** The passages of a language as they were found, by name. */
function foundIn(language: Language) {
  return Object.entries(SHOP_PASSAGES[language]).map(([name, source]) => ({ name, ...source }));
}

for (const [language, answer, expected] of SHOP_ANSWERS) {
  Deno.test(`usedSources: ${language}: “${answer.slice(0, 60)}”`, () => {
    const found = foundIn(language);
    assertEquals(usedSources(answer, found).map(({ name }) => name), expected);
  });
}

Deno.test("usedSources: a passage alone is judged by itself", () => {
  const [returns] = foundIn("en");
  const used = usedSources("You have 30 days of delivery to return an unused item.", [
    returns!,
  ]);
  assertEquals(used, [returns!]);
  const refusal = "I looked into the documents, and found nothing about gift cards. Shall I ask?";
  assertEquals(usedSources(refusal, [returns!]), []);
});

Deno.test("usedSources: a long answer of the model's own is not drawn from passing pairs of words", () => {
  const found = foundIn("en");
  const own = Array.from({ length: 200 }, (_, n) => `sentence ${n} goes another way.`).join(" ");
  const passing = "within five days of the order, you can pay by card and in the shop";
  assertEquals(usedSources(`${own} ${passing}`, found), []);
});

Deno.test("usedSources: nothing said, nothing found, and names of inherited properties", () => {
  assertEquals(usedSources("", foundIn("en")), []);
  assertEquals(usedSources("Hello", []), []);
  const hostile = { title: "__proto__", text: "constructor __proto__ toString valueOf" };
  assertEquals(usedSources("constructor", [hostile]), []);
  assertEquals(usedSources(hostile.text, [hostile]), [hostile]);
});

Deno.test("usedSources: one character and one word repeated, and many of them", () => {
  for (const unit of ["a", "a ", "漢", "あ漢a 1 ", "\u0e33", "-", " "]) {
    const text = unit.repeat(50_000 / unit.length);
    assert(usedSources(text, [{ title: text, text }]).length <= 1, unit);
  }
});

Deno.test("usedSources: takes at most 400 bytes of gzip in a page, and imports nothing", () => {
  const path = new URL("./used_sources.ts", import.meta.url).pathname;
  const { outputFiles } = buildSync({
    stdin: { contents: `export { usedSources } from ${JSON.stringify(path)}`, resolveDir: "/" },
    ...{ bundle: true, write: false, minify: true, format: "esm", target: "es2022" },
  });
  const bytes = gzipSync(outputFiles[0]!.contents).length;
  assert(bytes <= 380, `${bytes} bytes`);
});

Deno.test("usedSources: of answers that it was not made for, it is right in 95 %, and finds 90 %", () => {
  let [right, wrong, missed] = [0, 0, 0];
  for (const [passages, answer, expected] of UNSEEN_ANSWERS) {
    const found = Object.entries(passages).map(([name, [title, text]]) => ({ name, title, text }));
    const used = usedSources(answer, found).map(({ name }) => name);
    right += used.filter((name) => expected.includes(name)).length;
    wrong += used.filter((name) => !expected.includes(name)).length;
    missed += expected.filter((name) => !used.includes(name)).length;
  }
  assert(right / (right + wrong) >= 0.95, `precision: ${right} right, ${wrong} wrong`);
  assert(right / (right + missed) >= 0.9, `recall: ${right} found, ${missed} missed`);
});
