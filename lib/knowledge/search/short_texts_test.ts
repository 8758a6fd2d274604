import { assert, assertEquals } from "@std/assert";
import { ChunksInMemory, type TextDocument } from "@/tests/support/chunks_in_memory.ts";
import { KnowledgeSearch } from "./knowledge_search.ts";

const BASE = { tenant: "t", base: "b" };
const FILE = new URL("../../../tests/fixtures/short_texts.tsv", import.meta.url);
const MIN_FOUND = 0.95;

interface Pair extends TextDocument {
  language: string;
  query: string;
  /** The search was tuned on one half of the pairs; the other is held out. */
  half: "tuned" | "held out";
}

const PAIRS: Pair[] = (await Deno.readTextFile(FILE)).trim().split("\n").slice(1).map((line, n) => {
  const [language, text, query] = line.split("\t") as [string, string, string];
  return { id: String(n), language, text, query, half: n % 2 === 0 ? "tuned" : "held out" };
});

async function finds(
  search: KnowledgeSearch,
  { id, query }: Pick<Pair, "id" | "query">,
  limit: number,
): Promise<boolean> {
  const found = await search.search(BASE, { query, limit });
  return found!.some(({ documentId }) => documentId === id);
}

/** The share of pairs whose text is found. */
async function share(
  pairs: readonly Pair[],
  searchOf: (pair: Pair) => KnowledgeSearch,
  limit = 3,
): Promise<number> {
  let found = 0;
  for (const pair of pairs) if (await finds(searchOf(pair), pair, limit)) found++;
  return found / pairs.length;
}

Deno.test("short texts: there are 300 pairs, 30 in each of ten languages, and no text is its query", () => {
  const counts = Map.groupBy(PAIRS, ({ language }) => language);
  assertEquals([...counts.values()].map(({ length }) => length), Array(10).fill(30));
  assertEquals(PAIRS.filter(({ text, query }) => text === query), []);
});

for (const half of ["tuned", "held out"] as const) {
  const pairs = PAIRS.filter((pair) => pair.half === half);

  Deno.test(`short texts: 95 % are among the first three of a base in their language (${half})`, async () => {
    const searches = new Map(
      [...Map.groupBy(PAIRS, ({ language }) => language)]
        .map(([language, texts]) => [language, new KnowledgeSearch(new ChunksInMemory(texts))]),
    );
    const found = await share(pairs, ({ language }) => searches.get(language)!);
    assert(found >= MIN_FOUND, `${found}`);
  });

  Deno.test(`short texts: 95 % are among the first ten of a base in ten languages (${half})`, async () => {
    const search = new KnowledgeSearch(new ChunksInMemory(PAIRS));
    const found = await share(pairs, () => search, 10);
    assert(found >= MIN_FOUND, `${found}`);
  });
}

Deno.test("short texts: 95 % are found without other evidence of their language", async () => {
  const found = await share(PAIRS, (pair) => new KnowledgeSearch(new ChunksInMemory([pair])));
  assert(found >= MIN_FOUND, `${found}`);
});

const EXAMPLES = [
  ["Zeppelins fly over lakes.", "zeppelin"],
  ["Refunds take fourteen days.", "refund"],
  ["Refunds take fourteen days.", "Can I get a refund?"],
  ["Returns are free.", "return"],
  ["Blue bicycles", "bicycle"],
  ["Rückgaben", "rückgabe"],
  ["Store in a cool, dry place", "storing"],
] as const;

for (const [text, query] of EXAMPLES) {
  Deno.test(`short texts: "${query}" finds "${text}", alone and among others`, async () => {
    const alone = new KnowledgeSearch(new ChunksInMemory([{ id: "1", text }]));
    assert(await finds(alone, { id: "1", query }, 1));
    const among = new KnowledgeSearch(new ChunksInMemory([...PAIRS, { id: "example", text }]));
    assert(await finds(among, { id: "example", query }, 3));
  });
}

Deno.test("short texts: codes and hyphenated words are found in every spelling", async () => {
  const search = new KnowledgeSearch(
    new ChunksInMemory([{ id: "wifi", text: "Wi-Fi" }, { id: "code", text: "Order A-1042" }]),
  );
  for (const query of ["wifi", "WIFI", "wi-fi", "Wi Fi", "wi\u2011fi"]) {
    assert(await finds(search, { id: "wifi", query }, 1), query);
  }
  for (const query of ["A1042", "a-1042", "A 1042", "1042"]) {
    assert(await finds(search, { id: "code", query }, 1), query);
  }
});
