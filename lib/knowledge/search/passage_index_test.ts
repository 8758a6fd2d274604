import { assertEquals } from "@std/assert";
import type { Chunk } from "../chunk.ts";
import { PassageIndex } from "./passage_index.ts";

function indexOf(...texts: (string | Partial<Chunk>)[]): PassageIndex {
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
  return index.search(query, { limit: 10 }).map(({ slot }) => index.chunk(slot).documentId);
}

const RETURNS = "You can return what you have bought from us within thirty days of the delivery.";
const PRICES = "The prices of all our plans are shown with the tax that you have to pay on them.";

Deno.test("PassageIndex: finds a word in another of its forms", () => {
  assertEquals(found(indexOf(RETURNS, PRICES), "Returning it after delivery?"), ["doc-0"]);
  assertEquals(found(indexOf(RETURNS, PRICES), "PRICE"), ["doc-1"]);
});

Deno.test("PassageIndex: each passage is read in its own language, and asked for in any", () => {
  const german = "Die Rückgabe ist bei uns in den ersten dreißig Tagen nach dem Kauf möglich.";
  const french = "Les prix que vous voyez sur notre site sont ceux que vous payez à la fin.";
  const index = indexOf(RETURNS, german, french);
  assertEquals(index.languages.map(({ name }) => name), ["english", "german", "french"]);
  assertEquals(found(index, "Wie viele Tage?"), ["doc-1"]);
  assertEquals(found(index, "voyait"), ["doc-2"]);
});

Deno.test("PassageIndex: case and accents make no difference", () => {
  const index = indexOf("Ein Café in der Straße", PRICES);
  assertEquals(found(index, "CAFE"), ["doc-0"]);
  assertEquals(found(index, "strasse"), ["doc-0"]);
  assertEquals(found(index, "Straße"), ["doc-0"]);
});

Deno.test("PassageIndex: finds in scripts that write no spaces", () => {
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

Deno.test("PassageIndex: stop words find nothing beside others, and something alone", () => {
  const index = indexOf(RETURNS, PRICES);
  assertEquals(found(index, "what about the tax"), ["doc-1"]);
  assertEquals(found(index, "from within").length > 0, true);
});

Deno.test("PassageIndex: a short passage is of its document's language", () => {
  const index = new PassageIndex();
  const [english] = indexOf(RETURNS).languages;
  const chunk = { documentId: "d", position: 0, headingPath: [], title: "", tokens: 1 };
  index.add({ ...chunk, text: "Deliveries" }, { fallback: english });
  assertEquals(found(index, "delivery"), ["d"]);
});

Deno.test("PassageIndex: removed documents are found no more, the others as before", async () => {
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

Deno.test("PassageIndex: tells where the words of a query stand", () => {
  const index = indexOf(RETURNS);
  const matches = index.matches(0, "returns of deliveries");
  assertEquals(matches.map(([start, end]) => RETURNS.slice(start, end)), ["return", "delivery"]);
});
