import { assert, assertEquals } from "@std/assert";
import { foldDiacritics } from "./analyzer.ts";
import { splitWords, splitWordSpans } from "./split_words.ts";

Deno.test("wordsOf: words are lower case, without what stands between them", () => {
  assertEquals(splitWords("Don't PANIC: use AB-1234!"), [
    "don",
    "t",
    "panic",
    "use",
    "ab",
    "1234",
    "ab1234",
  ]);
  assertEquals(splitWords("… — ?"), []);
});

Deno.test("wordsOf: what a hyphen joins is there in parts and joined, whichever hyphen it is", () => {
  assertEquals(splitWords("Wi-Fi"), ["wi", "fi", "wifi"]);
  assertEquals(splitWords("A\u20111042"), ["a", "a1042", "1042"]);
  const mail = ["e", "mail", "adresse", "email", "mailadresse", "emailadresse"];
  assertEquals(splitWords("e-mail-adresse"), mail);
  assertEquals(splitWords("é-mail-adresse").length, 6);
  assertEquals(splitWords("- a -- b -"), ["a", "b"]);
});

Deno.test("wordsOf: a soft hyphen is not seen", () => {
  assertEquals(splitWords("Rück\u00adgabe"), ["rückgabe"]);
});

Deno.test("wordsOf: the work grows with the text, however it is hyphenated", () => {
  for (const unit of ["a-", "é-", "ab-é", "a\u00ad", "한-", "a".repeat(70) + "-"]) {
    const counts = [1_000, 2_000].map((times) => splitWords(unit.repeat(times)).length);
    assert(counts[1]! <= 2 * counts[0]! + 10, `${unit}: ${counts}`);
  }
});

Deno.test("wordsOf: letters of any script, with their marks, are words", () => {
  assertEquals(splitWords("Straße naïve Ωμέγα привет हिन्दी"), [
    "straße",
    "naïve",
    "ωμέγα",
    "привет",
    "हिन्दी",
  ]);
});

Deno.test("wordsOf: compatibility forms are the plain ones", () => {
  assertEquals(splitWords("ＡＢＣ ﬁne"), ["abc", "fine"]);
});

Deno.test("wordsOf: Thai, Japanese and Chinese are cut where their words end", () => {
  assertEquals(splitWords("สวัสดีชาวโลก").join("|"), "สวัสดี|ชาว|โลก");
  assert(splitWords("東京で会いましょう").includes("東京"));
  assert(splitWords("我们喜欢北京").includes("北京"));
});

Deno.test("wordsOf: in Chinese and Korean a part of a long word is found as well", () => {
  assert(splitWords("서울에서").includes("서울"));
  assert(splitWords("中华人民共和国").includes("共和"));
});

Deno.test("wordsOf: what is too long to be a word is none", () => {
  assertEquals(splitWords(`a ${"x".repeat(65)} b`), ["a", "b"]);
  assertEquals(splitWords(`ä ${"x".repeat(65)} b`), ["ä", "b"]);
});

Deno.test("splitWordSpans: each word stands in the text where it says", () => {
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

Deno.test("fold: a word without marks is found with them, whatever the script", () => {
  const words = ["café", "straße", "ñandú", "łódź", "ёлка", "αθήνα", "مُدَرِّس", "smørrebrød"];
  const folded = ["cafe", "strasse", "nandu", "lodz", "елка", "αθηνα", "مدرس", "smorrebrod"];
  assertEquals(words.map(foldDiacritics), folded);
});

Deno.test("fold: marks that make another letter of it stay", () => {
  assertEquals(["が", "ไม้", "हिन्दी"].map(foldDiacritics), ["が", "ไม้", "हिन्दी"]);
});
