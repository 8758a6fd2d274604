import type { DocumentPassage } from "../passage.ts";
import { EventLoopYielder } from "../../platform/event_loop_yielder.ts";
import type { IndexedRevision, KnowledgeBaseName, PassageSource } from "./passage_source.ts";
import { assignLanguages, fallbackLanguage, guessPassageLanguage } from "./assign_languages.ts";
import {
  certainGuess,
  languageByStopWords,
  type LanguageGuess,
  loadDetector,
} from "./identify_language.ts";
import { DEFAULT_LANGUAGE, languageByCode } from "./languages.ts";
import { PassageIndex, passageWords } from "./passage_index.ts";
import type { VectorMatrix } from "./vector_matrix.ts";

/** Documents read ahead of the one that is being added. */
const READ_AHEAD = 8;
/** The words of a document with more passages are read twice, because they take too much memory. */
const MAX_CACHED_PASSAGES = 64;

/** The index of one base, brought up to what is stored before it is searched. */
export class KnowledgeBaseIndex {
  readonly passages = new PassageIndex();
  readonly #base: KnowledgeBaseName;
  readonly #source: PassageSource;
  /** By document: what of it is in the index. */
  #revisions = new Map<string, IndexedRevision>();
  /** By document: what its passages tell about their languages. */
  readonly #guesses = new Map<string, readonly LanguageGuess[]>();
  /** What is expected of passages that do not tell their language. */
  #fallback = DEFAULT_LANGUAGE;
  readonly #vectors = new Map<string, VectorMatrix>();
  #version: string | undefined;
  #update: Promise<void> | undefined;

  constructor(of: KnowledgeBaseName, source: PassageSource) {
    this.#base = of;
    this.#source = source;
  }

  /** What is in the index, by document. */
  get revisions(): ReadonlyMap<string, IndexedRevision> {
    return this.#revisions;
  }

  /** Estimated memory. */
  get bytes(): number {
    const vectors = [...this.#vectors.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    return this.passages.bytes + vectors;
  }

  /** The passages of a document, in their order. */
  passagesOf(id: string): DocumentPassage[] {
    const chunks: DocumentPassage[] = [];
    for (let slot = 0; slot < this.passages.size; slot++) {
      const chunk = this.passages.chunk(slot);
      if (chunk.documentId === id) chunks.push(chunk);
    }
    return chunks;
  }

  hasVectors(id: string): boolean {
    return this.#vectors.has(id);
  }

  /** Keeps vectors of a document's passages, as long as those are in the index. */
  setVectors(id: string, { revision, vectors }: { revision: string; vectors: VectorMatrix }): void {
    if (this.#revisions.get(id)?.id === revision) this.#vectors.set(id, vectors);
  }

  /** The documents that there are vectors of, with the number of their first passage. */
  *vectorRanges(): Generator<{ start: number; vectors: VectorMatrix }> {
    // A document's passages follow each other, in the order in which the documents were added.
    let start = 0;
    for (const [id, { chunks }] of this.#revisions) {
      const vectors = this.#vectors.get(id);
      if (vectors !== undefined) yield { start, vectors };
      start += chunks;
    }
  }

  /** Settles when the index holds what the base held at `version`, or later. */
  async syncTo(version: string): Promise<void> {
    // An update under way may have begun before the version was there.
    if (this.#version !== version) await this.#update;
    if (this.#version !== version) await (this.#update ??= this.#sync());
  }

  async #sync(): Promise<void> {
    try {
      const state = await this.#source.readState(this.#base);
      const wanted = await this.#source.readRevisions(this.#base);
      // While it changes it is at no version: who searches meanwhile waits.
      this.#version = undefined;
      const gone = [...this.#revisions].filter(([id, { id: is }]) => wanted.get(id)?.id !== is);
      await this.#remove(gone.map(([id]) => id));
      const uncertain = await this.#addCertain(wanted);
      for (const { id, guesses } of uncertain) this.#guesses.set(id, guesses);
      const chosen = state?.language && languageByCode(state.language);
      const fallback = fallbackLanguage(chosen, this.#allGuesses());
      const again = fallback === this.#fallback ? [] : await this.#removeUncertain();
      this.#fallback = fallback;
      await this.#addUncertain([...again, ...uncertain]);
      this.passages.clearTermCaches();
      this.#version = state?.version;
    } finally {
      this.#update = undefined;
    }
  }

  *#allGuesses(): Generator<LanguageGuess> {
    for (const guesses of this.#guesses.values()) yield* guesses;
  }

  async #remove(documents: readonly string[]): Promise<void> {
    if (documents.length === 0) return;
    await this.passages.remove(new Set(documents));
    for (const id of documents) {
      this.#revisions.delete(id);
      this.#guesses.delete(id);
      this.#vectors.delete(id);
    }
  }

  /** Takes out what depends on the fallback language, to be added anew; its vectors stay. */
  async #removeUncertain(): Promise<NewDocument[]> {
    const uncertain = new Map<string, NewDocument>();
    for (const [id, revision] of this.#revisions) {
      const guesses = this.#guesses.get(id) ?? [];
      if (guesses.some(({ certain }) => !certain)) {
        uncertain.set(id, { id, revision, guesses, chunks: [] });
      }
    }
    if (uncertain.size === 0) return [];
    for (let slot = 0; slot < this.passages.size; slot++) {
      const chunk = this.passages.chunk(slot);
      uncertain.get(chunk.documentId)?.chunks.push(chunk);
    }
    await this.passages.remove(new Set(uncertain.keys()));
    for (const id of uncertain.keys()) this.#revisions.delete(id);
    return [...uncertain.values()];
  }

  /** Reads what is not in the index, and adds the documents whose language is plain; answers the others. */
  async #addCertain(wanted: ReadonlyMap<string, IndexedRevision>): Promise<NewDocument[]> {
    const missing = [...wanted].filter(([id]) => !this.#revisions.has(id));
    const uncertain: NewDocument[] = [];
    const breather = new EventLoopYielder();
    for await (const { id, revision, chunks } of this.#readAhead(missing)) {
      // Skip it: the passage count does not match, and numbering relies on the count.
      if (chunks?.length !== revision.chunks) continue;
      const guesses: LanguageGuess[] = [];
      const kept: string[][] = [];
      for (const chunk of chunks) {
        const words = passageWords(chunk);
        if (chunks.length <= MAX_CACHED_PASSAGES) kept.push(words);
        const plain = languageByStopWords(words);
        guesses.push(
          plain ? certainGuess(plain) : guessPassageLanguage(chunk, await loadDetector()),
        );
        if (breather.isDue) await breather.yield();
      }
      if (guesses.some(({ certain }) => !certain)) {
        uncertain.push({ id, revision, chunks: [...chunks], guesses });
        continue;
      }
      for (const [n, chunk] of chunks.entries()) {
        const words = kept[n] ?? passageWords(chunk);
        this.passages.add(chunk, { languages: guesses[n]!.candidates, words });
        if (breather.isDue) await breather.yield();
      }
      this.#revisions.set(id, revision);
      this.#guesses.set(id, guesses);
    }
    return uncertain;
  }

  async #addUncertain(documents: readonly NewDocument[]): Promise<void> {
    const breather = new EventLoopYielder();
    for (const { id, revision, chunks, guesses } of documents) {
      const assigned = assignLanguages(guesses, { fallback: this.#fallback });
      for (const [n, chunk] of chunks.entries()) {
        this.passages.add(chunk, { languages: assigned[n]! });
        if (breather.isDue) await breather.yield();
      }
      this.#revisions.set(id, revision);
    }
  }

  async *#readAhead(
    documents: readonly [string, IndexedRevision][],
  ): AsyncGenerator<LoadedDocument> {
    const reading: Promise<LoadedDocument>[] = [];
    for (const [id, revision] of documents) {
      const next = this.#source.readPassages({ ...this.#base, id }, revision)
        .then((chunks) => ({ id, revision, chunks }));
      // It is thrown where it is awaited, which may be after another one has failed.
      next.catch(() => {});
      reading.push(next);
      if (reading.length === READ_AHEAD) yield await reading.shift()!;
    }
    for (const rest of reading) yield await rest;
  }
}

/** A document that is to be added. */
interface NewDocument {
  id: string;
  revision: IndexedRevision;
  chunks: DocumentPassage[];
  guesses: readonly LanguageGuess[];
}

/** A document whose passages have been read. */
interface LoadedDocument {
  id: string;
  revision: IndexedRevision;
  chunks: readonly DocumentPassage[] | undefined;
}
