import { KnowledgeSearch } from "@/lib/knowledge/search/knowledge_search.ts";
import { ChunksInMemory } from "@/tests/support/chunks_in_memory.ts";
import { readCollection } from "@/bench/support/beir_collection.ts";
import { ndcg } from "@/bench/support/ndcg.ts";
const BASE = { tenant: "t", base: "b" };
// typo injection: deterministic, one edit in the longest word
function hash(s: string) { let h = 2166136261; for (const c of s) h = Math.imul(h ^ c.codePointAt(0)!, 16777619); return h >>> 0; }
export function typo(q: string): string {
  const words = q.split(/(\s+)/);
  let best = -1;
  words.forEach((w, n) => { if (/^\p{L}{5,}$/u.test(w) && (best < 0 || w.length > words[best]!.length)) best = n; });
  if (best < 0) return q;
  const w = [...words[best]!]; const h = hash(q); const at = 1 + h % (w.length - 2); const kind = (h >>> 8) % 4;
  if (kind === 0) w.splice(at, 1);
  else if (kind === 1) w.splice(at, 0, w[at]!);
  else if (kind === 2) [w[at], w[at + 1]] = [w[at + 1]!, w[at]!];
  else w[at] = w[(at + 1 + (h >>> 16) % (w.length - 1)) % w.length]!;
  words[best] = w.join("");
  return words.join("");
}
const args = Deno.args;
for (const folder of args) {
  const { name, texts, queries, judgements } = await readCollection(folder);
  const t0 = performance.now();
  const search = new KnowledgeSearch(new ChunksInMemory(texts));
  await search.search(BASE, { query: "x", limit: 1 });
  const cold = performance.now() - t0;
  let a = 0, b = 0, zero = 0, ms = 0, max = 0, h10 = 0;
  for (const [id, judged] of judgements) {
    const q = queries.get(id) ?? "";
    const t = performance.now();
    const found = (await search.search(BASE, { query: q, limit: 10 }))!.map((x) => x.documentId);
    const d = performance.now() - t; ms += d; max = Math.max(max, d);
    const s = ndcg(found, { judged, cut: 10 });
    a += s; if (s > 0) h10++;
    const f2 = (await search.search(BASE, { query: typo(q), limit: 10 }))!.map((x) => x.documentId);
    b += ndcg(f2, { judged, cut: 10 });
    if (found.length === 0) zero++;
  }
  const n = judgements.size;
  console.log(name.padEnd(14), n, "ndcg", (a / n).toFixed(4), "hit10", (h10 / n).toFixed(3), "typo", (b / n).toFixed(4), "none", zero, "cold", cold.toFixed(0), "ms", (ms / n).toFixed(2), "max", max.toFixed(1), (search.bytes / 1e6).toFixed(1) + "MB");
}
