import { assert, assertEquals } from "@std/assert";
import type { KnowledgeLanguage } from "@/lib/schemas/knowledge_languages.ts";
import { languageByCode } from "./languages.ts";
import { PassageIndex } from "./passage_index.ts";

function indexIn(code: KnowledgeLanguage, ...texts: string[]): PassageIndex {
  const index = new PassageIndex();
  for (const text of texts) {
    const passage = { documentId: text, position: 0, headingPath: [], title: "", tokens: 1, text };
    index.add(passage, { languages: [languageByCode(code)] });
  }
  return index;
}

function found(index: PassageIndex, query: string): string[] {
  return index.search(query, { limit: 10 }).map(({ ordinal }) => index.passage(ordinal).documentId);
}

const DELIVERY = "We deliver within three days of payment.";
const REFUND = "A refund is paid to your account.";

Deno.test("expandQuery: a word that no text has is corrected by one typing error", () => {
  const index = indexIn("en", DELIVERY, REFUND);
  for (const query of ["refnud", "reffund", "refun", "rafund", "refunde"]) {
    assertEquals(found(index, query), [REFUND], query);
  }
  assertEquals(found(index, "retund account"), [REFUND]);
});

Deno.test("expandQuery: two errors, short words, codes and words that a text has are not corrected", () => {
  const index = indexIn("en", "refund", "rest", "B1042", "county", "country");
  assertEquals(found(index, "reffnud"), []);
  assertEquals(found(index, "rast"), []);
  assertEquals(found(index, "B1043"), []);
  assertEquals(found(index, "county"), ["county"]);
});

Deno.test("expandQuery: a corrected word never precedes a text with the word itself", () => {
  const index = indexIn("en", "delivery times", "delivery deliveri");
  const [best] = found(index, "delivery");
  assert(best !== undefined && best.includes("delivery"));
});

Deno.test("expandQuery: accents missing from a query are no typing errors", () => {
  assertEquals(found(indexIn("pl", "Śniadanie w cenie"), "sniadanie"), ["Śniadanie w cenie"]);
});

Deno.test("expandQuery: words are joined and divided as texts have them", () => {
  assertEquals(found(indexIn("en", "Free WiFi on board", DELIVERY), "wi fi"), [
    "Free WiFi on board",
  ]);
  assertEquals(found(indexIn("en", "Smart phone repair", DELIVERY), "smartphone"), [
    "Smart phone repair",
  ]);
});

const COMPOUNDS: [KnowledgeLanguage, string, string][] = [
  ["de", "Zeit der Lieferung", "Lieferungszeit"],
  ["de", "Versandkosten nach Wien", "Versand"],
  ["de", "Sonderangebote im Juni", "Angebot"],
  ["nl", "Verzekering voor de reis", "reisverzekering"],
  ["nl", "Reserveonderdelen", "onderdelen"],
  ["sv", "Kostnad för frakt", "fraktkostnad"],
  ["da", "Fragtpriser", "pris"],
  ["no", "Skostørrelser", "størrelse"],
];

for (const [code, text, query] of COMPOUNDS) {
  Deno.test(`expandQuery: "${query}" finds "${text}" (${code})`, () => {
    const index = indexIn(code, text, "Garantie garanti", "Hund hond");
    assertEquals(found(index, query)[0], text);
  });
}

Deno.test("expandQuery: a text with the compound itself precedes those with its parts", () => {
  const index = indexIn("de", "Die Zeit der Lieferung", "Unsere Lieferungszeit", "Zeit für Kaffee");
  assertEquals(found(index, "Lieferungszeit")[0], "Unsere Lieferungszeit");
});

Deno.test("expandQuery: English words have no compounds", () => {
  assertEquals(found(indexIn("en", "catalogue", DELIVERY), "cata"), []);
});

Deno.test("expandQuery: matches are marked for corrected words and compounds too", () => {
  const index = indexIn("de", "Versandkosten nach Wien");
  const marked = index.findMatches(0, "Versand nach Wein")
    .map(([start, end]) => "Versandkosten nach Wien".slice(start, end));
  assert(marked.includes("Versandkosten"));
});

Deno.test("expandQuery: a long query of unknown words looks up a bounded number of words", () => {
  const index = indexIn("de", DELIVERY, REFUND);
  const words = Array.from({ length: 2_000 }, (_, n) => `xq${n.toString(36)}zzzzzzzzzzzzzz`);
  let lookups = 0;
  const has = Map.prototype.get;
  Map.prototype.get = function (this: Map<unknown, unknown>, key: unknown) {
    lookups++;
    return has.call(this, key);
  };
  try {
    assertEquals(found(index, words.join(" ")), []);
  } finally {
    Map.prototype.get = has;
  }
  // 12 corrected words of at most 24 letters have some 1,300 neighbours each, twice.
  assert(lookups < 100_000, `${lookups}`);
});
