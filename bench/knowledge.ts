import { withValueEncoding } from "@/lib/store/kv/with_value_encoding.ts";
import { KnowledgeSearch } from "@/lib/knowledge/search/knowledge_search.ts";
import { KvPassageSource } from "@/lib/knowledge/search/passage_source.ts";
import { ChunksInMemory } from "@/tests/support/chunks_in_memory.ts";
import { putDocument } from "@/tests/support/passages.ts";
import type { Benchmark } from "./mod.ts";
import { type Collection, readCollection } from "./support/beir_collection.ts";
import { longestTurn } from "./support/longest_turn.ts";
import { GeneratedText } from "./support/generated_text.ts";
import { PEERS, rankByPeers } from "./support/bm25_peers.ts";
import { ndcg } from "./support/ndcg.ts";
import { formatNumber, formatTable } from "./support/table.ts";

const BASE = { tenant: "bench", base: "base" };
const DOCUMENTS = 1_000;
const PASSAGES_A_DOCUMENT = 10;
/** About 400 tokens. */
const PASSAGE_LENGTH = 1_600;
const SEARCHES = 300;
const CUT = 10;

/** nDCG@10 of BM25 in Lucene, as published by BEIR and Pyserini: title and text as two fields, and as one. */
const PUBLISHED: Readonly<Record<string, [twoFields: number, oneField: number]>> = {
  scifact: [0.665, 0.679],
  nfcorpus: [0.325, 0.322],
  fiqa: [0.236, 0.236],
  scidocs: [0.158, 0.149],
  arguana: [0.414, 0.397],
};

const HOW_TO = `no test collection: set KNOWLEDGE_COLLECTION to folders, separated by commas, with
corpus.jsonl, queries.jsonl and qrels/test.tsv, such as an unpacked archive of the BEIR collections
(scifact.zip, 2.9 MB, has 5,183 texts and 300 judged questions)`;

export const benchmark: Benchmark = {
  about: "search in knowledge bases: quality on test collections, speed, memory",
  async run() {
    const folders = Deno.env.get("KNOWLEDGE_COLLECTION")?.split(",") ?? [];
    if (folders.length === 0) console.log(HOW_TO);
    else await printQuality(folders);
    await printSpeed();
  },
};

async function printQuality(folders: readonly string[]): Promise<void> {
  const rows: string[][] = [];
  for (const folder of folders) {
    const collection = await readCollection(folder);
    const { name, texts, judgements } = collection;
    const ours = meanNdcg(await rankOurs(collection), judgements);
    const peers = await rankByPeers(collection);
    const scores = [...peers ?? []].map(([peer, found]) => {
      return { peer, score: meanNdcg(found, judgements) };
    }).sort((a, b) => b.score - a.score);
    rows.push([
      ...[name, texts.length, judgements.size, ours.toFixed(4)].map(String),
      ...PEERS.map((one) => scores.find(({ peer }) => peer === one)?.score.toFixed(4) ?? "?"),
      ...PUBLISHED[name.toLowerCase()]?.map((one) => one.toFixed(3)) ?? ["?", "?"],
    ]);
  }
  const head = [
    "collection",
    "texts",
    "questions",
    "ours",
    ...PEERS,
    "Lucene, 2 fields",
    "1 field",
  ];
  console.log(`nDCG@${CUT}, by words alone\n${formatTable(head, rows)}`);
}

/** The found texts of each judged question, best first. */
async function rankOurs({ texts, queries, judgements }: Collection): Promise<string[][]> {
  const search = new KnowledgeSearch(new ChunksInMemory(texts));
  const rankings: string[][] = [];
  for (const id of judgements.keys()) {
    const found = await search.search(BASE, { query: queries.get(id) ?? "", limit: CUT });
    rankings.push(found!.map(({ documentId }) => documentId));
  }
  return rankings;
}

function meanNdcg(rankings: readonly string[][], judgements: Collection["judgements"]): number {
  const scores = [...judgements.values()].map((judged, n) => {
    return ndcg(rankings[n]!, { judged, cut: CUT });
  });
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

async function printSpeed(): Promise<void> {
  const file = await Deno.makeTempFile({ suffix: ".sqlite3" });
  const kv = withValueEncoding(await Deno.openKv(file));
  try {
    const text = new GeneratedText();
    for (let n = 0; n < DOCUMENTS; n++) {
      const passages = Array.from({ length: PASSAGES_A_DOCUMENT }, () => text.text(PASSAGE_LENGTH));
      await putDocument(kv, { ...BASE, id: `document-${n}` }, { title: text.query(), passages });
    }
    const rows = [await measure(kv), await measure(kv)];
    const head = [
      "",
      "cold ms",
      "longest turn ms",
      "warm p50 ms",
      "warm p99 ms",
      "change ms",
      "MB",
    ];
    const names = ["first in the process", "again, code compiled"];
    const labelled = rows.map((row, n) => [names[n]!, ...row.map(formatNumber)]);
    const size = DOCUMENTS * PASSAGES_A_DOCUMENT;
    console.log(`\n${size} passages of about 400 tokens\n${formatTable(head, labelled)}`);
  } finally {
    kv.close();
    await Deno.remove(file);
  }
}

/** The figures of a search without an index in memory. */
async function measure(kv: Deno.Kv): Promise<number[]> {
  const index = new KnowledgeSearch(new KvPassageSource(kv));
  const queries = new GeneratedText(2);
  const search = () => index.search(BASE, { query: queries.query(), limit: 5 });
  const turn = longestTurn();
  const cold = await timed(search);
  const longest = turn.stop();
  const warm: number[] = [];
  for (let n = 0; n < SEARCHES; n++) warm.push(await timed(search));
  warm.sort((a, b) => a - b);
  await putDocument(kv, { ...BASE, id: "document-0" }, { passages: [queries.text(1_600)] });
  const change = await timed(search);
  const [p50, p99] = [warm[SEARCHES / 2]!, warm[Math.floor(SEARCHES * 0.99)]!];
  return [cold, longest, p50, p99, change, index.bytes / 1e6];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
