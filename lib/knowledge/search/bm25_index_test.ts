import { assertAlmostEquals, assertEquals } from "@std/assert";
import { Bm25Index } from "./bm25_index.ts";

function indexOf(...texts: string[]): Bm25Index {
  const index = new Bm25Index();
  for (const text of texts) addTo(index, text);
  return index;
}

function addTo(index: Bm25Index, text: string): void {
  const terms = text.split(" ");
  index.add({ terms: terms.map((term) => index.termId(term)), length: terms.length });
}

function search(index: Bm25Index, query: string, limit = 10) {
  const terms = query.split(" ").flatMap((term) => {
    const id = index.findTermId(term);
    return id === undefined ? [] : [{ id, weight: 1 }];
  });
  return index.search(terms, { limit });
}

Deno.test("Bm25Index: scores follow the formula", () => {
  const index = indexOf("a b b", "a c", "d d d d");
  const [hit] = search(index, "b");
  const idf = Math.log(1 + (3 - 1 + 0.5) / (1 + 0.5));
  const norm = 1.2 * (1 - 0.75 + 0.75 * 3 / 3);
  assertEquals(hit?.ordinal, 0);
  assertAlmostEquals(hit!.score, idf * 2 / (2 + norm), 1e-12);
});

Deno.test("Bm25Index: rare terms and short texts score higher", () => {
  const index = indexOf("common rare x", "common x x", "common", "x x x");
  assertEquals(search(index, "rare common").map(({ ordinal }) => ordinal), [0, 2, 1]);
});

Deno.test("Bm25Index: equal scores keep the order of texts, and the limit holds", () => {
  const index = indexOf(...Array.from({ length: 20 }, () => "same words"));
  assertEquals(search(index, "words", 3).map(({ ordinal }) => ordinal), [0, 1, 2]);
});

Deno.test("Bm25Index: an unknown term finds nothing", () => {
  assertEquals(search(indexOf("a b"), "c"), []);
  assertEquals(search(new Bm25Index(), "c"), []);
});

Deno.test("Bm25Index: removed texts leave no trace", () => {
  const index = indexOf("a b", "b c", "a a d", "c d");
  Array.from(index.retain((slot) => slot !== 1 && slot !== 2));
  const fresh = indexOf("a b", "c d");
  for (const query of ["a", "b", "c", "d", "a b c d"]) {
    assertEquals(search(index, query), search(fresh, query));
  }
  addTo(index, "a d");
  addTo(fresh, "a d");
  assertEquals(search(index, "a d"), search(fresh, "a d"));
  Array.from(index.retain(() => false));
  assertEquals([index.size, index.findTermId("a"), search(index, "a")], [0, undefined, []]);
});

Deno.test("Bm25Index: its size grows with its texts", () => {
  const index = new Bm25Index();
  for (let n = 0; n < 3_000; n++) addTo(index, `term${n} every`);
  assertEquals(search(index, "term2999").map(({ ordinal }) => ordinal), [2999]);
  assertEquals(search(index, "every", 2_999).length, 2_999);
});

Deno.test("Bm25Index: a weight multiplies the score of its term", () => {
  const index = indexOf("a b", "c d");
  const id = index.findTermId("a")!;
  const [once] = index.search([{ id, weight: 1 }], { limit: 1 });
  const [twice] = index.search([{ id, weight: 2 }], { limit: 1 });
  assertAlmostEquals(twice!.score, 2 * once!.score, 1e-12);
});
