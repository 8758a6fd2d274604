import { assert, assertEquals } from "@std/assert";
import type { Coverage } from "@/lib/schemas/coverage.ts";
import { ChunksInMemory } from "@/tests/support/chunks_in_memory.ts";
import { coverageOf } from "./covered_share.ts";
import { KnowledgeSearch } from "./knowledge_search.ts";

const FIXTURE = new URL("../../../tests/fixtures/knowledge_coverage.tsv", import.meta.url);
const BASE = { tenant: "t", base: "b" };

type Row = { language: string; kind: string; text: string };
const [_head, ...LINES] = (await Deno.readTextFile(FIXTURE)).trim().split("\n");
const ROWS = LINES.map((line): Row => {
  const [language, kind, text] = line.split("\t") as [string, string, string];
  return { language, kind, text };
});

function searchOf(rows: readonly Row[]): KnowledgeSearch {
  const texts = rows.filter(({ kind }) => kind === "text");
  return new KnowledgeSearch(
    new ChunksInMemory(texts.map(({ text }, n) => ({ id: `${n}`, text }))),
  );
}

async function coverage(search: KnowledgeSearch, query: string): Promise<Coverage> {
  let found: Coverage | undefined;
  await search.search(BASE, { query, limit: 5, onCoverage: (one) => found = one });
  return found!;
}

/** How well "not enough" finds the questions that the texts do not answer. */
async function measure(searchFor: (language: string) => KnowledgeSearch) {
  let [found, wrong, all] = [0, 0, 0];
  for (const { language, kind, text } of ROWS) {
    if (kind === "text") continue;
    const isGap = kind === "unanswered";
    const isFound = await coverage(searchFor(language), text) !== "enough";
    if (isGap) all++;
    if (isGap && isFound) found++;
    if (!isGap && isFound) wrong++;
  }
  return { precision: found / (found + wrong), recall: found / all };
}

Deno.test("coverage: questions without an answer are recognized in a base in their language", async () => {
  const searches = new Map(
    [...Map.groupBy(ROWS, ({ language }) => language)].map((
      [code, rows],
    ) => [code, searchOf(rows)]),
  );
  const { precision, recall } = await measure((language) => searches.get(language)!);
  assert(precision >= 0.91, `${precision}`);
  assert(recall >= 0.97, `${recall}`);
});

Deno.test("coverage: questions without an answer are recognized in a base of five languages", async () => {
  const search = searchOf(ROWS);
  const { precision, recall } = await measure(() => search);
  assert(precision >= 0.92, `${precision}`);
  assert(recall >= 0.95, `${recall}`);
});

Deno.test("coverage: an empty base has nothing, and one word of several is little", async () => {
  assertEquals(await coverage(searchOf([]), "opening hours"), "nothing");
  const search = searchOf(ROWS.filter(({ language }) => language === "en"));
  assertEquals(await coverage(search, "helicopter flights"), "nothing");
  assertEquals(await coverage(search, "Do you buy used furniture?"), "little");
  assertEquals(await coverage(search, "rent a bicycle"), "enough");
});

Deno.test("coverage: a typing error and a compound count as found", async () => {
  const search = searchOf(ROWS.filter(({ language }) => language === "de"));
  assertEquals(await coverage(search, "Kreditkatre"), "enough");
  assertEquals(await coverage(search, "Kredit"), "enough");
});

Deno.test("coverageOf: has two bounds", () => {
  assertEquals([0, 0.19, 0.2, 0.34, 0.35, 1].map(coverageOf), [
    ...["nothing", "nothing", "little", "little", "enough", "enough"] as const,
  ]);
});
