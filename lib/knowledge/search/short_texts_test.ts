import { assert, assertEquals } from "@std/assert";
import { ChunksInMemory, type TextDocument } from "@/tests/support/chunks_in_memory.ts";
import { KnowledgeSearch } from "./knowledge_search.ts";

const BASE = { tenant: "t", base: "b" };
const FIXTURES = new URL("../../../tests/fixtures/", import.meta.url);
/** Among the first three of a base in the text's language. */
const MIN_FOUND = 0.97;
/** Among the first ten of one base in all languages, which has the same texts in several of them. */
const MIN_FOUND_AMONG_ALL = 0.95;

interface Pair extends TextDocument {
  language: string;
  query: string;
}

/** A text and a query in each line after the first. */
async function readPairs(file: string): Promise<Pair[]> {
  const [_head, ...lines] = (await Deno.readTextFile(new URL(file, FIXTURES))).trim().split("\n");
  return lines.map((line, n) => {
    const [language, text, query] = line.split("\t") as [string, string, string];
    return { id: `${file} ${n}`, language, text, query };
  });
}

const FIRST = await readPairs("short_texts.tsv");
/** With typing errors, compounds and codes; written after the search. */
const LATER = await readPairs("short_texts_unseen.tsv");
const PAIRS = [...FIRST, ...LATER];

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

Deno.test("short texts: there are 600 pairs, and no text is its query", () => {
  assertEquals(PAIRS.length, 600);
  assertEquals(new Set(PAIRS.map(({ language }) => language)).size, 16);
  assertEquals(PAIRS.filter(({ text, query }) => text === query), []);
});

for (const [name, pairs] of [["first", FIRST], ["later", LATER]] as const) {
  Deno.test(`short texts: 97 % are among the first three of a base in their language (${name})`, async () => {
    const searches = new Map(
      [...Map.groupBy(PAIRS, ({ language }) => language)]
        .map(([language, texts]) => [language, new KnowledgeSearch(new ChunksInMemory(texts))]),
    );
    const found = await share(pairs, ({ language }) => searches.get(language)!);
    assert(found >= MIN_FOUND, `${found}`);
  });
}

Deno.test("short texts: 95 % are among the first ten of a base in all languages", async () => {
  const search = new KnowledgeSearch(new ChunksInMemory(PAIRS));
  const found = await share(PAIRS, () => search, 10);
  assert(found >= MIN_FOUND_AMONG_ALL, `${found}`);
});

Deno.test("short texts: 95 % are found without other evidence of their language", async () => {
  const found = await share(PAIRS, (pair) => new KnowledgeSearch(new ChunksInMemory([pair])));
  assert(found >= MIN_FOUND_AMONG_ALL, `${found}`);
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
