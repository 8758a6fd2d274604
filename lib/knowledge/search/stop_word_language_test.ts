import { assertEquals } from "@std/assert";
import { detectLanguage } from "./detect_language.ts";
import { LANGUAGES } from "./languages.ts";
import { wordsOf } from "./words.ts";

const TEXTS: Record<string, string> = {
  english: "You can return what you have bought within thirty days, and we will refund it.",
  german: "Sie können die Ware innerhalb von dreißig Tagen zurückgeben, wenn sie nicht gefällt.",
  french: "Vous pouvez rendre les articles dans les trente jours qui suivent votre achat.",
  spanish: "Usted puede devolver el producto en los treinta días que siguen a la compra.",
  italian: "Il cliente può restituire il prodotto entro trenta giorni se non è di suo gusto.",
  portuguese:
    "O cliente pode devolver os produtos em até trinta dias depois da compra, se não gostar.",
  dutch: "U kunt het product binnen dertig dagen terugsturen als het niet naar uw zin is.",
  russian: "Вы можете вернуть товар в течение тридцати дней, если он вам не понравился.",
  turkish: "Ürünü otuz gün içinde geri verebilirsiniz, ama bu kural her ürün için geçerli değil.",
  swedish: "Du kan lämna tillbaka varan inom trettio dagar om den inte är som du vill ha den.",
};

for (const [name, text] of Object.entries(TEXTS)) {
  Deno.test(`detectLanguage: knows ${name} by its stop words`, () => {
    assertEquals(detectLanguage(wordsOf(text))?.name, name);
  });
}

Deno.test("detectLanguage: a short sentence tells, where it can only be one language", () => {
  assertEquals(detectLanguage(wordsOf("We rent out boats."))?.name, "english");
  assertEquals(detectLanguage(wordsOf("Boats")), undefined);
});

Deno.test("detectLanguage: what has no stop words is of no language that it knows", () => {
  assertEquals(detectLanguage(wordsOf("Error 4711 timeout gateway 503")), undefined);
  assertEquals(detectLanguage(wordsOf("東京で会いましょう")), undefined);
  assertEquals(detectLanguage([]), undefined);
});

Deno.test("LANGUAGES: every stemmer answers a word for whatever is a word", () => {
  const words = ["a", "x".repeat(64), "1234", "مرحبا", "日本", "é", "ß", "books"];
  for (const { stem } of LANGUAGES) {
    for (const word of words) assertEquals(typeof stem(word), "string");
  }
});
