import { languageByStopWords } from "@/lib/knowledge/search/identify_language.ts";
import { DEFAULT_LANGUAGE, type Language } from "@/lib/knowledge/search/languages.ts";
import { splitWords } from "@/lib/knowledge/search/split_words.ts";
import type { Collection } from "./beir_collection.ts";

/** Python's libraries of BM25, with the words and stems that ours has. */
export const PEERS = ["bm25s lucene", "bm25s bm25+", "rank_bm25"];

const SCRIPT = new URL("./bm25_peers.py", import.meta.url);
const CUT = 10;

/**
 * The found texts of each judged question by peer, best first. `undefined`, with a message, if Python or
 * the libraries are missing (`pip install bm25s rank_bm25`).
 */
export async function rankByPeers(
  { texts, queries, judgements }: Collection,
): Promise<Map<string, string[][]> | undefined> {
  const language = mostCommon(texts.map(({ text }) => languageByStopWords(splitWords(text))));
  const stem = (text: string) =>
    splitWords(text).filter((word) => !language.stopWords.has(word)).map(language.stem);
  const input = {
    texts: texts.map(({ title, text }) => stem(`${title} ${text}`)),
    queries: [...judgements.keys()].map((id) => stem(queries.get(id) ?? "")),
    cut: CUT,
  };
  const python = new Deno.Command("python3", {
    args: [SCRIPT.pathname],
    ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
  }).spawn();
  const output = python.output();
  await new Blob([JSON.stringify(input)]).stream().pipeTo(python.stdin);
  const { success, stdout, stderr } = await output;
  if (!success) {
    const last = new TextDecoder().decode(stderr).trim().split("\n").at(-1);
    console.log(`no figures of others: ${last}. Try pip install bm25s rank_bm25`);
    return undefined;
  }
  const found: Record<string, number[][]> = JSON.parse(new TextDecoder().decode(stdout));
  const idOf = (n: number) => texts[n]!.id;
  return new Map(
    Object.entries(found).map(([peer, rankings]) => {
      return [peer, rankings.map((ranking) => ranking.map(idOf))];
    }),
  );
}

function mostCommon(languages: readonly (Language | undefined)[]): Language {
  const counts = new Map<Language, number>();
  for (const language of languages) {
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? DEFAULT_LANGUAGE;
}
