import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { EventLoopYielder } from "../../platform/event_loop_yielder.ts";
import { type QuestionVector, toVectors } from "./question_vectors.ts";

/** Questions at least this similar are of one group, measured on 16 questions in three to five wordings each. */
const MIN_SIMILARITY = 0.38;
/** Groups that a question is compared with by its rarest terms: visitors choose the questions and their number. */
const MAX_COMPARISONS = 300;
/** Of these, those that are compared by all terms. */
const MAX_CANDIDATES = 10;
/** Lists of questions whose groups are in memory: a page, its details and what is done there need the same. */
const CACHED_LISTS = 20;

interface Question {
  question: string;
}

interface Group {
  /** Positions of questions. */
  members: number[];
  /** The sums of the members' vectors, and the square of their length. */
  terms: Map<string, number>;
  square: number;
}

interface Grouping {
  groups: Group[];
  /** The groups that have a term, the first ones first. */
  byTerm: Map<string, number[]>;
}

/** Groups questions that ask for the same in similar words. Remembers the last lists that it has grouped. */
export class QuestionGrouper {
  readonly #known = new LRUCache<string, Promise<number[][]>>({ max: CACHED_LISTS });

  /**
   * Each question joins the group that is most similar to it, by the cosine of their words' stems, weighted
   * by rarity. Questions in other words stay apart. Yields to the event loop.
   */
  async group<T extends Question>(questions: readonly T[]): Promise<T[][]> {
    const key = digestOf(questions);
    let positions = this.#known.get(key);
    if (positions === undefined) {
      positions = groupPositions(questions.map(({ question }) => question));
      this.#known.set(key, positions);
      positions.catch(() => this.#known.delete(key));
    }
    return (await positions).map((members) => members.map((n) => questions[n]!));
  }
}

function digestOf(questions: readonly Question[]): string {
  const hash = createHash("sha256");
  for (const { question } of questions) hash.update(`${question.length} ${question}`);
  return hash.digest("base64url");
}

async function groupPositions(questions: readonly string[]): Promise<number[][]> {
  const yielder = new EventLoopYielder();
  const vectors = await toVectors(questions, yielder);
  const same = [...Map.groupBy(questions.keys(), (n) => vectors.keyOf(n)).values()]
    // The most frequent ones first, so that the others gather around them.
    .sort((a, b) => b.length - a.length);
  const weighed = vectors.weigh(same.map(([first]) => first!));
  const grouping: Grouping = { groups: [], byTerm: new Map() };
  for (const [n, members] of same.entries()) {
    if (yielder.isDue) await yielder.yield();
    join(grouping, { members, vector: weighed[n]! });
  }
  return grouping.groups.map(({ members }) => members);
}

function join(
  { groups, byTerm }: Grouping,
  { members, vector }: { members: readonly number[]; vector: QuestionVector },
): void {
  const found = mostSimilar(vector, { groups, byTerm });
  const at = found ?? groups.push({ members: [], terms: new Map(), square: 0 }) - 1;
  const group = groups[at]!;
  for (const one of members) group.members.push(one);
  for (const [term, weight] of vector) {
    const before = group.terms.get(term);
    const after = (before ?? 0) + weight;
    group.terms.set(term, after);
    group.square += after ** 2 - (before ?? 0) ** 2;
    if (before !== undefined) continue;
    const others = byTerm.get(term);
    if (others === undefined) byTerm.set(term, [at]);
    else others.push(at);
  }
}

function mostSimilar(
  vector: QuestionVector,
  { groups, byTerm }: Grouping,
): number | undefined {
  const products = new Map<number, number>();
  let left = MAX_COMPARISONS;
  for (const [term, weight] of vector) {
    const having = byTerm.get(term) ?? [];
    for (let n = 0; n < having.length && left > 0; n++, left--) {
      const at = having[n]!;
      const product = weight * groups[at]!.terms.get(term)!;
      products.set(at, (products.get(at) ?? 0) + product);
    }
  }
  const length = lengthOf(vector);
  const similarity = (at: number, product: number) =>
    product / (length * Math.sqrt(groups[at]!.square));
  const nearest = [...products].map(([at, product]) => [at, similarity(at, product)] as const)
    .sort(([, a], [, b]) => b - a).slice(0, MAX_CANDIDATES)
    // All terms count now, also those that there was no room for.
    .map(([at]) => [at, similarity(at, dotProduct(vector, groups[at]!.terms))] as const)
    .sort(([, a], [, b]) => b - a);
  const [best] = nearest;
  return best !== undefined && best[1] >= MIN_SIMILARITY ? best[0] : undefined;
}

function dotProduct(one: QuestionVector, other: ReadonlyMap<string, number>): number {
  return one.reduce((sum, [term, weight]) => sum + weight * (other.get(term) ?? 0), 0);
}

/** The question of a group that has most in common with the others; the first of equal ones. */
export async function typicalQuestion(questions: readonly string[]): Promise<string> {
  const readable = questions.filter((question) => question !== "");
  const vectors = (await toVectors(readable)).weigh([...readable.keys()]);
  const sum = new Map<string, number>();
  for (const [term, weight] of vectors.flat()) sum.set(term, (sum.get(term) ?? 0) + weight);
  const scores = vectors.map((vector) => dotProduct(vector, sum) / lengthOf(vector));
  return readable[scores.indexOf(Math.max(...scores))] ?? readable[0] ?? "";
}

function lengthOf(vector: QuestionVector): number {
  return Math.sqrt(vector.reduce((sum, [, weight]) => sum + weight ** 2, 0));
}
