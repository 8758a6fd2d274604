import { assertEquals } from "@std/assert";
import type { DocumentPassage } from "../passage.ts";
import type { KnowledgeLanguage } from "@/lib/schemas/knowledge_languages.ts";
import { languageByCode } from "./languages.ts";
import { PassageIndex } from "./passage_index.ts";

function indexOf(...texts: (string | Partial<DocumentPassage>)[]): PassageIndex {
  const index = new PassageIndex();
  for (const [n, text] of texts.entries()) {
    const given = typeof text === "string" ? { text } : text;
    index.add({
      documentId: `doc-${n}`,
      position: 0,
      headingPath: [],
      title: "",
      text: "",
      tokens: 1,
      ...given,
    });
  }
  return index;
}

function found(index: PassageIndex, query: string): string[] {
  return index.search(query, { limit: 10 }).map(({ ordinal }) => index.passage(ordinal).documentId);
}

const RETURNS = "You can return what you have bought from us within thirty days of the delivery.";
const PRICES = "The prices of all our plans are shown with the tax that you have to pay on them.";

Deno.test("PassageIndex: finds other forms of a word", () => {
  assertEquals(found(indexOf(RETURNS, PRICES), "Returning it after delivery?"), ["doc-0"]);
  assertEquals(found(indexOf(RETURNS, PRICES), "PRICE"), ["doc-1"]);
});

function addIn(index: PassageIndex, codes: KnowledgeLanguage[], text: string): void {
  const chunk = { position: 0, headingPath: [], title: "", tokens: 1, text, documentId: text };
  index.add(chunk, { languages: codes.map(languageByCode) });
}

Deno.test("PassageIndex: each passage is stemmed by its own language, and found in any", () => {
  const index = new PassageIndex();
  addIn(index, ["en"], RETURNS);
  addIn(index, ["de"], "Wir liefern in drei Tagen.");
  addIn(index, ["fr"], "Les prix que vous voyez");
  assertEquals(index.languages.map(({ code }) => code), ["en", "de", "fr"]);
  assertEquals(found(index, "Wie viele Tage?"), ["Wir liefern in drei Tagen."]);
  assertEquals(found(index, "voyait"), ["Les prix que vous voyez"]);
});

Deno.test("PassageIndex: a passage of uncertain language is found by the stems of each candidate", () => {
  const index = new PassageIndex();
  addIn(index, ["nl", "de"], "Fahrräder");
  assertEquals(found(index, "Fahrrad"), ["Fahrräder"]);
});

Deno.test("PassageIndex: the exact form counts in addition to the stem", () => {
  assertEquals(found(indexOf("Return it.", "Returns are free."), "returns"), ["doc-1", "doc-0"]);
  assertEquals(found(indexOf("Returns are free.", "Return it."), "return"), ["doc-1", "doc-0"]);
});

Deno.test("PassageIndex: a repeated word of a query counts repeatedly", () => {
  const index = indexOf("bicycle shed", "helmet shed");
  assertEquals(found(index, "helmet, bicycle, helmet"), ["doc-1", "doc-0"]);
  assertEquals(found(index, "bicycle, helmet, bicycle"), ["doc-0", "doc-1"]);
});

Deno.test("PassageIndex: stop words of a rare language are ordinary words of a query", () => {
  const index = new PassageIndex();
  for (let n = 0; n < 8; n++) addIn(index, ["en"], `Stable number ${n}`);
  addIn(index, ["en"], "Shoes for men");
  // In Swedish, "men" is a stop word.
  addIn(index, ["sv"], "Skor");
  assertEquals(found(index, "men and shoes"), ["Shoes for men"]);
  assertEquals(found(index, "stable men").includes("Shoes for men"), true);
});

Deno.test("PassageIndex: stop words of an uncertain language are ordinary words of a query", () => {
  const index = new PassageIndex();
  // In Dutch, "door" is a stop word.
  for (const text of ["Door handle", "Window handle"]) addIn(index, ["en", "nl"], text);
  assertEquals(found(index, "door handle"), ["Door handle", "Window handle"]);
});

Deno.test("PassageIndex: case and accents make no difference", () => {
  const index = indexOf("Ein Café in der Straße", PRICES);
  assertEquals(found(index, "CAFE"), ["doc-0"]);
  assertEquals(found(index, "strasse"), ["doc-0"]);
  assertEquals(found(index, "Straße"), ["doc-0"]);
});

Deno.test("PassageIndex: finds words in scripts without spaces", () => {
  const index = indexOf(
    "返品は三十日以内にお願いします。",
    "ราคารวมภาษีแล้ว",
    "서울에서 배송합니다",
    PRICES,
  );
  assertEquals(found(index, "返品"), ["doc-0"]);
  assertEquals(found(index, "ภาษี"), ["doc-1"]);
  assertEquals(found(index, "서울"), ["doc-2"]);
});

Deno.test("PassageIndex: the title and the headings belong to a passage", () => {
  const index = indexOf(
    { text: PRICES, title: "Handbook", headingPath: ["Billing", "Invoices"] },
    RETURNS,
  );
  assertEquals(found(index, "invoice"), ["doc-0"]);
  assertEquals(found(index, "handbook"), ["doc-0"]);
});

Deno.test("PassageIndex: stop words are ignored unless the query has nothing else", () => {
  const index = indexOf(RETURNS, PRICES);
  assertEquals(found(index, "what about the tax"), ["doc-1"]);
  assertEquals(found(index, "from within").length > 0, true);
});

Deno.test("PassageIndex: removed documents are not found, and the others still are", async () => {
  const index = indexOf(
    RETURNS,
    PRICES,
    "Our offices are in Paris and in Rome, and they are open.",
  );
  const before = index.bytes;
  await index.remove(new Set(["doc-1"]));
  assertEquals(index.size, 2);
  assertEquals(found(index, "prices"), []);
  assertEquals(found(index, "Paris"), ["doc-2"]);
  assertEquals(found(index, "return"), ["doc-0"]);
  assertEquals(index.bytes < before, true);
});

Deno.test("PassageIndex: returns the positions of the words of a query", () => {
  const index = indexOf(RETURNS);
  const matches = index.findMatches(0, "returns of deliveries");
  assertEquals(matches.map(([start, end]) => RETURNS.slice(start, end)), ["return", "delivery"]);
});
