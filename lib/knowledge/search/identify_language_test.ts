import { assert, assertEquals } from "@std/assert";
import {
  certainGuess,
  identifyLanguage,
  languageByStopWords,
  loadDetector,
} from "./identify_language.ts";
import { languageByCode, LANGUAGES } from "./languages.ts";
import { splitWords } from "./split_words.ts";

const score = await loadDetector();
const codes = (text: string) => identifyLanguage(text, score).candidates.map(({ code }) => code);

const SENTENCES: Record<string, string> = {
  en: "You can return what you have bought within thirty days, and we will refund it.",
  de: "Sie können die Ware innerhalb von dreißig Tagen zurückgeben, wenn sie nicht gefällt.",
  fr: "Vous pouvez rendre les articles dans les trente jours qui suivent votre achat.",
  es: "Usted puede devolver el producto en los treinta días que siguen a la compra.",
  it: "Il cliente può restituire il prodotto entro trenta giorni se non è di suo gusto.",
  pt: "O cliente pode devolver os produtos em até trinta dias depois da compra, se não gostar.",
  nl: "U kunt het product binnen dertig dagen terugsturen als het niet naar uw zin is.",
  ru: "Вы можете вернуть товар в течение тридцати дней, если он вам не понравился.",
  tr: "Ürünü otuz gün içinde geri verebilirsiniz, ama bu kural her ürün için geçerli değil.",
  sv: "Du kan lämna tillbaka varan inom trettio dagar om den inte är som du vill ha den.",
};

for (const [code, text] of Object.entries(SENTENCES)) {
  Deno.test(`identifyLanguage: knows a sentence in ${code}`, () => {
    assertEquals(codes(text)[0], code);
  });
}

Deno.test("languageByStopWords: identifies prose, but no short or bilingual text", () => {
  const prose = (code: string) => splitWords(`${SENTENCES[code]} ${SENTENCES[code]}`);
  for (const code of Object.keys(SENTENCES)) {
    assertEquals(languageByStopWords(prose(code))?.code ?? code, code);
  }
  assertEquals(languageByStopWords(prose("en"))?.code, "en");
  assertEquals(languageByStopWords(splitWords("Store in a cool, dry place")), undefined);
  assertEquals(languageByStopWords([...prose("en"), ...prose("de")]), undefined);
  assertEquals(languageByStopWords([]), undefined);
});

Deno.test("identifyLanguage: the correct language of a title is the first or second candidate", () => {
  assertEquals(codes("Store in a cool, dry place")[0], "en");
  assertEquals(codes("Refunds take fourteen days."), ["en"]);
  assert(codes("Rückgaben").slice(0, 2).includes("de"));
  assert(codes("Blue bicycles").slice(0, 2).includes("en"));
});

Deno.test("identifyLanguage: a few letters are never certain", () => {
  for (const text of ["Rückgaben", "Boats", "menu", "FAQ"]) {
    assertEquals(identifyLanguage(text, score).certain, false, text);
  }
});

Deno.test("identifyLanguage: has no candidates without letters or without a stemmer", () => {
  for (
    const text of ["", "4711", "東京で会いましょう", "Zboží prosím vraťte do třiceti dnů od nákupu"]
  ) {
    assertEquals(identifyLanguage(text, score), { candidates: [], certain: false }, text);
  }
});

Deno.test("identifyLanguage: only the beginning of a text is scored", () => {
  const lengths: number[] = [];
  const counting = (text: string) => {
    lengths.push(text.length);
    return {};
  };
  for (const text of ["x".repeat(1_000_000), "́".repeat(1_000_000), "a ".repeat(500_000)]) {
    identifyLanguage(text, counting);
  }
  assertEquals(lengths, [500, 500, 500]);
});

Deno.test("certainGuess: is one object per language", () => {
  const english = languageByCode("en");
  assertEquals(certainGuess(english) === certainGuess(english), true);
});

Deno.test("LANGUAGES: every stemmer returns something for every word", () => {
  const words = [
    "a",
    "x".repeat(64),
    "1234",
    "مرحبا",
    "日本",
    "é",
    "ß",
    "books",
    "отмена",
    "са",
    "s",
  ];
  for (const { code, stem } of LANGUAGES) {
    for (const word of words) assert(stem(word).length > 0, `${code} ${word}`);
  }
});

Deno.test("LANGUAGES: all forms of a word have one stem", () => {
  const forms = {
    da: ["nøgle nøgler", "cykel cykler"],
    de: ["Rückgabe Rückgaben", "Schlüssel schluessel", "Haus Häuser"],
    en: ["refund refunds", "knife knives", "child children"],
    nl: ["fiets fietsen", "bon bonnen", "kind kinderen", "jas jassen"],
    pt: ["cartão cartões", "devolução devoluções"],
    sv: ["leverans leveranser", "nyckel nycklar"],
    tr: ["ekran ekranlar", "bisiklet bisikletler"],
  } as const;
  for (const [code, sets] of Object.entries(forms)) {
    const { stem } = LANGUAGES.find((one) => one.code === code)!;
    for (const set of sets) {
      const stems = new Set(splitWords(set).map(stem));
      assertEquals(stems.size, 1, `${set}: ${[...stems]}`);
    }
  }
});

Deno.test("identifyLanguage: letters that a language does not use exclude it", () => {
  const russian = "Мы были рады этому выбору: выставка открыта, и выход бесплатный.";
  assertEquals(codes(russian), ["ru"]);
  for (const [code, text] of [["uk", "Їхній поїзд приїде о шостій"], ["sv", "Köp nära älven"]]) {
    assertEquals(codes(text!).includes("ru") || codes(text!).includes("da"), false, code);
  }
  // A quoted name does not exclude the language of a longer text.
  const quoted = "Їхній поїзд приїде о шостій годині вечора, і всі гості вже чекають на нього "
    .repeat(4);
  assertEquals(codes(`${quoted} Ямщиковы`)[0], "uk");
});
