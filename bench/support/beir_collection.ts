/** A text of a collection. */
export interface CollectionText {
  id: string;
  title: string;
  text: string;
}

/** A test collection: texts, questions, and human judgements of which texts answer which question. */
export interface Collection {
  name: string;
  texts: CollectionText[];
  /** The text of each question, by its id. */
  queries: ReadonlyMap<string, string>;
  /** Relevance by question and text; texts without a judgement are not relevant. */
  judgements: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Reads a folder in the layout of BEIR: `corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv`. */
export async function readCollection(folder: string): Promise<Collection> {
  const texts = (await readLines(`${folder}/corpus.jsonl`)).map((line) => {
    const { _id, title = "", text } = JSON.parse(line);
    return { id: String(_id), title, text };
  });
  const queries = new Map((await readLines(`${folder}/queries.jsonl`)).map((line) => {
    const { _id, text } = JSON.parse(line);
    return [String(_id), String(text)];
  }));
  const judgements = new Map<string, Map<string, number>>();
  const [_head, ...rows] = await readLines(`${folder}/qrels/test.tsv`);
  for (const row of rows) {
    const [query, text, grade] = row.split("\t") as [string, string, string];
    const judged = judgements.get(query) ?? new Map();
    judgements.set(query, judged.set(text, Number(grade)));
  }
  const name = folder.replace(/\/+$/, "").split("/").at(-1) ?? folder;
  return { name, texts, queries, judgements };
}

async function readLines(file: string): Promise<string[]> {
  return (await Deno.readTextFile(file)).split(/\r?\n/).filter((line) => line !== "");
}
