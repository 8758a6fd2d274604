import { LRUCache } from "lru-cache";
import type { MeteredEmbedder } from "../../knowledge/search/metered_embedder.ts";
import type { Logger } from "../../platform/log.ts";
import { type Runtime, setTimer } from "../../platform/runtime.ts";

const TIMEOUT_MS = 3_000;
/** What the provider takes in one request. */
const BATCH = 64;
/** Of questions; one of 1,536 numbers takes 6 KB. */
const CACHED_VECTORS = 2_000;

interface QuestionMeaningsDeps {
  embedder: Pick<MeteredEmbedder, "embed" | "model">;
  runtime: Runtime;
  log: Logger;
}

/** The vectors of questions by the operator's embedding model, charged to their tenant once a process. */
export class QuestionMeanings {
  readonly #deps: QuestionMeaningsDeps;
  readonly #vectors = new LRUCache<string, Float32Array>({ max: CACHED_VECTORS });

  constructor(deps: QuestionMeaningsDeps) {
    this.#deps = deps;
  }

  /** Of length 1, in the order of the questions; `undefined` after a failure, which is logged. */
  async vectorsOf(
    tenant: string,
    questions: readonly string[],
  ): Promise<Float32Array[] | undefined> {
    const keyOf = (question: string) => `${tenant} ${question}`;
    const found = questions.map((question) => this.#vectors.get(keyOf(question)));
    const missing = [...new Set(questions.filter((_, n) => found[n] === undefined))];
    const made = await this.#embed(tenant, missing);
    if (made === undefined) return undefined;
    for (const [question, vector] of made) this.#vectors.set(keyOf(question), vector);
    return questions.map((question, n) => found[n] ?? made.get(question)!);
  }

  async #embed(
    tenant: string,
    questions: readonly string[],
  ): Promise<Map<string, Float32Array> | undefined> {
    const { embedder, runtime, log } = this.#deps;
    const timeout = new AbortController();
    const cancelTimer = setTimer(runtime, TIMEOUT_MS, () => {
      timeout.abort(new Error("embedding questions took too long"));
    });
    const made = new Map<string, Float32Array>();
    try {
      for (let at = 0; at < questions.length; at += BATCH) {
        const texts = questions.slice(at, at + BATCH);
        const vectors = await embedder.embed(texts, {
          ...{ tenant, purpose: "query", signal: timeout.signal },
          deadline: runtime.now() + TIMEOUT_MS,
        });
        texts.forEach((text, n) => made.set(text, unitVector(vectors[n]!)));
      }
      return made;
    } catch (error) {
      const message = "could not embed questions; grouping them by words only";
      log.warn(message, { tenant, model: embedder.model, error });
      return undefined;
    } finally {
      cancelTimer();
    }
  }
}

function unitVector(numbers: readonly number[]): Float32Array {
  const length = Math.hypot(...numbers) || 1;
  return Float32Array.from(numbers, (one) => one / length);
}
