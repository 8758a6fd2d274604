import { assert, assertEquals } from "@std/assert";
import { foldDiacritics } from "./fold_diacritics.ts";
import { splitWords, splitWordSpans } from "./split_words.ts";

Deno.test("splitWords: words are in lower case and without punctuation", () => {
  assertEquals(splitWords("Don't PANIC: use AB-1234!"), [
    "don",
    "t",
    "panic",
    "use",
    "ab",
    "ab1234",
    "1234",
  ]);
  assertEquals(splitWords("… — ?"), []);
});

Deno.test("splitWords: hyphenated words give parts and compounds, for every kind of hyphen", () => {
  assertEquals(splitWords("Wi-Fi"), ["wi", "wifi", "fi"]);
  assertEquals(splitWords("A\u20111042"), ["a", "a1042", "1042"]);
  const mail = ["e", "email", "emailadresse", "mail", "mailadresse", "adresse"];
  assertEquals(splitWords("e-mail-adresse"), mail);
  assertEquals(splitWords("é-mail-adresse").length, 6);
  assertEquals(splitWords("- a -- b -"), ["a", "b"]);
});

Deno.test("splitWords: codes are whole and in parts, with and without a hyphen", () => {
  assertEquals(splitWords("A-1042"), ["a", "a1042", "1042"]);
  assertEquals(splitWords("A1042"), ["a1042", "1042"]);
  assertEquals(splitWords("SKU1042b"), ["sku1042b", "sku", "1042"]);
  assertEquals(splitWords("É1042"), ["é1042", "1042"]);
  assertEquals(splitWords("A4 4K p53"), ["a4", "4k", "p53", "53"]);
});

Deno.test("splitWords: numbers are whole and in parts, with grouped digits joined", () => {
  assertEquals(splitWords("10.42"), ["10", "10.42", "42"]);
  assertEquals(splitWords("10,42 €"), ["10", "10.42", "42"]);
  assertEquals(splitWords("1,000"), ["1", "1000", "000"]);
  assertEquals(splitWords("1.000,5").includes("1000"), true);
  assertEquals(splitWords("v2.3.1"), ["v2", "v2.3", "v2.3.1", "3", "3.1", "1"]);
  assertEquals(splitWords("in 2024. Then"), ["in", "2024", "then"]);
  assertEquals(splitWords("٣٫٥ und 3,5é"), splitWordSpans("٣٫٥ und 3,5é").map(({ word }) => word));
});

Deno.test("splitWords: ASCII and other texts are split alike", () => {
  for (
    const text of ["A-1042", "v2.3.1-rc.4", "1,000.50", "e-mail 10.5a", "a-b-c 1-2", "3.a .5 6."]
  ) {
    assertEquals(splitWords(text), splitWordSpans(text).map(({ word }) => word), text);
  }
});

Deno.test("splitWords: a soft hyphen is ignored", () => {
  assertEquals(splitWords("Rück\u00adgabe"), ["rückgabe"]);
});

Deno.test("splitWords: the number of words is linear in the text, even with many hyphens", () => {
  for (
    const unit of ["a-", "é-", "ab-é", "a\u00ad", "한-", "a".repeat(70) + "-", "1.", "1,a", "a1"]
  ) {
    const counts = [1_000, 2_000].map((times) => splitWords(unit.repeat(times)).length);
    assert(counts[1]! <= 2 * counts[0]! + 10, `${unit}: ${counts}`);
  }
});

Deno.test("splitWords: letters of any script, with their marks, are words", () => {
  assertEquals(splitWords("Straße naïve Ωμέγα привет हिन्दी"), [
    "straße",
    "naïve",
    "ωμέγα",
    "привет",
    "हिन्दी",
  ]);
});

Deno.test("splitWords: compatibility forms are normalized", () => {
  assertEquals(splitWords("ＡＢＣ ﬁne"), ["abc", "fine"]);
});

Deno.test("splitWords: Thai, Japanese and Chinese are segmented into words", () => {
  assertEquals(splitWords("สวัสดีชาวโลก").join("|"), "สวัสดี|ชาว|โลก");
  assert(splitWords("東京で会いましょう").includes("東京"));
  assert(splitWords("我们喜欢北京").includes("北京"));
});

Deno.test("splitWords: long Chinese and Korean words give bigrams", () => {
  assert(splitWords("서울에서").includes("서울"));
  assert(splitWords("中华人民共和国").includes("共和"));
});

Deno.test("splitWords: overlong words are dropped", () => {
  assertEquals(splitWords(`a ${"x".repeat(65)} b`), ["a", "b"]);
  assertEquals(splitWords(`ä ${"x".repeat(65)} b`), ["ä", "b"]);
});

Deno.test("splitWordSpans: positions match the text", () => {
  const text = "Grüße aus 東京, 서울에서!";
  for (const { word, start, end } of splitWordSpans(text)) {
    assertEquals(text.slice(start, end).toLowerCase(), word);
  }
  const [wi, whole, fi] = splitWordSpans("wi-fí");
  assertEquals([wi, whole, fi].map((one) => [one!.word, one!.start, one!.end]), [
    ["wi", 0, 2],
    ["wifí", 0, 5],
    ["fí", 3, 5],
  ]);
  assertEquals(splitWordSpans("one Two"), [
    { word: "one", start: 0, end: 3 },
    { word: "two", start: 4, end: 7 },
  ]);
});

Deno.test("foldDiacritics: folds diacritics in every script", () => {
  const words = ["café", "straße", "ñandú", "łódź", "ёлка", "αθήνα", "مُدَرِّس", "smørrebrød"];
  const folded = ["cafe", "strasse", "nandu", "lodz", "елка", "αθηνα", "مدرس", "smorrebrod"];
  assertEquals(words.map(foldDiacritics), folded);
});

Deno.test("foldDiacritics: marks that make a different letter stay", () => {
  assertEquals(["が", "ไม้", "हिन्दी"].map(foldDiacritics), ["が", "ไม้", "हिन्दी"]);
});
