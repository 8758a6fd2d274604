import { assertEquals } from "@std/assert";
import { ChunksInMemory } from "@/tests/support/chunks_in_memory.ts";
import { KnowledgeBaseIndex } from "./knowledge_base_index.ts";
import { VectorMatrix } from "./vector_matrix.ts";

const BASE = { tenant: "t", base: "b" };
const GERMAN =
  "Sie können die Ware innerhalb von dreißig Tagen zurückgeben, wenn sie nicht gefällt.";
const ENGLISH = "You can return what you have bought within thirty days, and we will refund it.";
const [german, english] = [GERMAN, ENGLISH].map((text) => {
  return [1, 2, 3].map((n) => ({ id: `${text.slice(0, 3)}-${n}`, text }));
});

async function reach(index: KnowledgeBaseIndex, source: ChunksInMemory): Promise<string[]> {
  await index.syncTo((await source.readState()).version);
  return index.passages.languages.map(({ code }) => code);
}

/** A text without letters has no language. */
const NUMBER = { id: "number", text: "4711" };

Deno.test("KnowledgeBaseIndex: uncertain passages are in the most common language of the base, else in English", async () => {
  const alone = new ChunksInMemory([NUMBER]);
  assertEquals(await reach(new KnowledgeBaseIndex(BASE, alone), alone), ["en"]);
  const among = new ChunksInMemory([NUMBER, ...german!]);
  assertEquals(await reach(new KnowledgeBaseIndex(BASE, among), among), ["de"]);
});

Deno.test("KnowledgeBaseIndex: the owner's language overrides the most common one, but no certain guess", async () => {
  const source = new ChunksInMemory([NUMBER, ...german!], { language: "sv" });
  assertEquals((await reach(new KnowledgeBaseIndex(BASE, source), source)).sort(), ["de", "sv"]);
});

Deno.test("KnowledgeBaseIndex: a change of the language applies to the next search", async () => {
  const source = new ChunksInMemory([NUMBER, ...german!]);
  const index = new KnowledgeBaseIndex(BASE, source);
  assertEquals(await reach(index, source), ["de"]);
  source.setLanguage("fi");
  assertEquals((await reach(index, source)).sort(), ["de", "fi"]);
  source.setLanguage(undefined);
  assertEquals(await reach(index, source), ["de"]);
  assertEquals(index.passages.size, 4);
});

Deno.test("KnowledgeBaseIndex: an index that grew equals one that was built at once", async () => {
  const grown = new ChunksInMemory([NUMBER, ...english!.slice(0, 1)]);
  const index = new KnowledgeBaseIndex(BASE, grown);
  assertEquals(await reach(index, grown), ["en"]);
  grown.add(german!);
  const languages = await reach(index, grown);
  const fresh = new KnowledgeBaseIndex(BASE, grown);
  assertEquals(languages.sort(), (await reach(fresh, grown)).sort());
  for (const query of ["4711", "Tage", "refunds"]) {
    const found = [index, fresh].map(({ passages }) => {
      return passages.search(query, { limit: 9 })
        .map(({ ordinal, score }) => `${passages.passage(ordinal).documentId} ${score.toFixed(9)}`)
        .sort();
    });
    assertEquals(found[0], found[1], query);
  }
});

Deno.test("KnowledgeBaseIndex: vectors stay when the language of their document changes", async () => {
  const source = new ChunksInMemory([NUMBER, ...german!]);
  const index = new KnowledgeBaseIndex(BASE, source);
  await reach(index, source);
  const ids = [...index.revisions.keys()];
  for (const [n, id] of ids.entries()) {
    const vectors = VectorMatrix.fromVectors([[n + 1, 1]]);
    index.setVectors(id, { revision: id, vectors });
  }
  const pairs = () =>
    [...index.vectorRanges()].map(({ start, vectors }) => {
      return [index.passages.passage(start).documentId, [
        ...vectors.similarities(Float32Array.of(1, 0)),
      ]];
    }).toSorted();
  const before = pairs();
  source.setLanguage("fi");
  await reach(index, source);
  assertEquals(pairs(), before);
  assertEquals(before.length, 4);
});
