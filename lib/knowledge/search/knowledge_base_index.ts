import { EventLoopYielder } from "../../platform/event_loop_yielder.ts";
import type { DocumentPassage } from "../passage.ts";
import { assignLanguages, fallbackLanguage, guessPassageLanguage } from "./assign_languages.ts";
import {
  certainGuess,
  languageByStopWords,
  type LanguageGuess,
  loadDetector,
} from "./identify_language.ts";
import { DEFAULT_LANGUAGE, type Language, languageByCode } from "./languages.ts";
import { PassageIndex, passageWords } from "./passage_index.ts";
import type { IndexedRevision, KnowledgeBaseName, PassageSource } from "./passage_source.ts";
import type { VectorMatrix } from "./vector_matrix.ts";

const READ_AHEAD = 8;
/** In larger documents, words are split twice instead of held in memory. */
const MAX_CACHED_PASSAGES = 64;

interface LoadedDocument {
  id: string;
  revision: IndexedRevision;
  passages: readonly DocumentPassage[] | undefined;
}

interface GuessedDocument extends LoadedDocument {
  passages: DocumentPassage[];
  guesses: readonly LanguageGuess[];
}

/** The index of one knowledge base. Call `syncTo` before each search. */
export class KnowledgeBaseIndex {
  readonly passages = new PassageIndex();
  readonly #base: KnowledgeBaseName;
  readonly #source: PassageSource;
  /** Indexed revisions by document, in the order of their passages. */
  #revisions = new Map<string, IndexedRevision>();
  readonly #guesses = new Map<string, readonly LanguageGuess[]>();
  /** For passages of uncertain language. */
  #fallback = DEFAULT_LANGUAGE;
  readonly #vectors = new Map<string, VectorMatrix>();
  #version: string | undefined;
  #update: Promise<void> | undefined;

  constructor(base: KnowledgeBaseName, source: PassageSource) {
    this.#base = base;
    this.#source = source;
  }

  get revisions(): ReadonlyMap<string, IndexedRevision> {
    return this.#revisions;
  }

  get bytes(): number {
    const vectors = [...this.#vectors.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    return this.passages.bytes + vectors;
  }

  passagesOf(id: string): DocumentPassage[] {
    return this.passages.entries.filter(({ passage }) => passage.documentId === id)
      .map(({ passage }) => passage);
  }

  hasVectors(id: string): boolean {
    return this.#vectors.has(id);
  }

  /** Ignored if the revision is no longer indexed. */
  setVectors(id: string, { revision, vectors }: { revision: string; vectors: VectorMatrix }): void {
    if (this.#revisions.get(id)?.id === revision) this.#vectors.set(id, vectors);
  }

  /** The vectors of each document, with the ordinal of its first passage. */
  *vectorRanges(): Generator<{ start: number; vectors: VectorMatrix }> {
    let start = 0;
    for (const [id, { chunks }] of this.#revisions) {
      const vectors = this.#vectors.get(id);
      if (vectors !== undefined) yield { start, vectors };
      start += chunks;
    }
  }

  /** Resolves when the index holds the base at `version` or later. */
  async syncTo(version: string): Promise<void> {
    // A pending update may have read an earlier version.
    if (this.#version !== version) await this.#update;
    if (this.#version !== version) await (this.#update ??= this.#sync());
  }

  async #sync(): Promise<void> {
    try {
      const state = await this.#source.readState(this.#base);
      const wanted = await this.#source.readRevisions(this.#base);
      // Concurrent searches wait for the update.
      this.#version = undefined;
      const outdated = [...this.#revisions].filter(([id, has]) => wanted.get(id)?.id !== has.id);
      await this.#remove(outdated.map(([id]) => id));
      const added = await this.#addCertain(wanted);
      for (const { id, guesses } of added) this.#guesses.set(id, guesses);
      const chosen = state?.language && languageByCode(state.language);
      const fallback = fallbackLanguage(chosen, [...this.#guesses.values()].flat());
      const removed = fallback === this.#fallback ? [] : await this.#removeUncertain();
      this.#fallback = fallback;
      await this.#addUncertain([...removed, ...added]);
      this.passages.clearTermCaches();
      this.#version = state?.version;
    } finally {
      this.#update = undefined;
    }
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

  /** Removes the documents that depend on the fallback language, to add them again; keeps vectors. */
  async #removeUncertain(): Promise<GuessedDocument[]> {
    const uncertain = new Map<string, GuessedDocument>();
    for (const [id, revision] of this.#revisions) {
      const guesses = this.#guesses.get(id) ?? [];
      if (isUncertain(guesses)) uncertain.set(id, { id, revision, guesses, passages: [] });
    }
    if (uncertain.size === 0) return [];
    for (const { passage } of this.passages.entries) {
      uncertain.get(passage.documentId)?.passages.push(passage);
    }
    await this.passages.remove(new Set(uncertain.keys()));
    for (const id of uncertain.keys()) this.#revisions.delete(id);
    return [...uncertain.values()];
  }

  /** Adds missing documents of certain language, and returns the other missing ones. */
  async #addCertain(wanted: ReadonlyMap<string, IndexedRevision>): Promise<GuessedDocument[]> {
    const missing = [...wanted].filter(([id]) => !this.#revisions.has(id));
    const uncertain: GuessedDocument[] = [];
    const yielder = new EventLoopYielder();
    for await (const { id, revision, passages } of this.#readAhead(missing)) {
      // Skip it: the passage count does not match, and ordinals rely on the count.
      if (passages?.length !== revision.chunks) continue;
      const guesses: LanguageGuess[] = [];
      const words: string[][] = [];
      for (const passage of passages) {
        const split = passageWords(passage);
        if (passages.length <= MAX_CACHED_PASSAGES) words.push(split);
        const language = languageByStopWords(split);
        guesses.push(
          language ? certainGuess(language) : guessPassageLanguage(passage, await loadDetector()),
        );
        if (yielder.isDue) await yielder.yield();
      }
      const document = { id, revision, passages: [...passages], guesses };
      if (isUncertain(guesses)) {
        uncertain.push(document);
        continue;
      }
      const languages = guesses.map(({ candidates }) => candidates);
      await this.#add(document, { languages, words, yielder });
      this.#guesses.set(id, guesses);
    }
    return uncertain;
  }

  async #addUncertain(documents: readonly GuessedDocument[]): Promise<void> {
    const yielder = new EventLoopYielder();
    for (const document of documents) {
      const languages = assignLanguages(document.guesses, { fallback: this.#fallback });
      await this.#add(document, { languages, words: [], yielder });
    }
  }

  async #add({ id, revision, passages }: GuessedDocument, { languages, words, yielder }: {
    languages: readonly (readonly Language[])[];
    /** Of each passage, or empty. */
    words: readonly string[][];
    yielder: EventLoopYielder;
  }): Promise<void> {
    for (const [n, passage] of passages.entries()) {
      this.passages.add(passage, { languages: languages[n]!, words: words[n] });
      if (yielder.isDue) await yielder.yield();
    }
    this.#revisions.set(id, revision);
  }

  async *#readAhead(
    documents: readonly [string, IndexedRevision][],
  ): AsyncGenerator<LoadedDocument> {
    const pending: Promise<LoadedDocument>[] = [];
    for (const [id, revision] of documents) {
      const next = this.#source.readPassages({ ...this.#base, id }, revision)
        .then((passages) => ({ id, revision, passages }));
      // A rejection is thrown where it is awaited, unless another one comes first.
      next.catch(() => {});
      pending.push(next);
      if (pending.length === READ_AHEAD) yield await pending.shift()!;
    }
    for (const rest of pending) yield await rest;
  }
}

function isUncertain(guesses: readonly LanguageGuess[]): boolean {
  return guesses.some(({ certain }) => !certain);
}
