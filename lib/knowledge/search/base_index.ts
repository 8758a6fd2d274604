import type { Chunk } from "../chunk.ts";
import { Breather } from "./breather.ts";
import type { BaseName, ChunkSource, FoundRevision } from "./chunk_source.ts";
import { detectLanguage } from "./detect_language.ts";
import { PassageIndex } from "./passage_index.ts";
import type { VectorMatrix } from "./vector_matrix.ts";
import { wordsOf } from "./words.ts";

/** Documents read ahead of the one that is being added. */
const READ_AHEAD = 8;
/** Words that tell the language of a document. */
const SAMPLE_CHUNKS = 8;

/** The index of one base, brought up to what is stored before it is searched. */
export class BaseIndex {
  readonly passages = new PassageIndex();
  readonly #of: BaseName;
  readonly #source: ChunkSource;
  /** By document: what of it is in the index. */
  #revisions = new Map<string, FoundRevision>();
  readonly #vectors = new Map<string, VectorMatrix>();
  #version: string | undefined;
  #update: Promise<void> | undefined;

  constructor(of: BaseName, source: ChunkSource) {
    this.#of = of;
    this.#source = source;
  }

  /** What is in the index, by document. */
  get revisions(): ReadonlyMap<string, FoundRevision> {
    return this.#revisions;
  }

  /** Estimated memory. */
  get bytes(): number {
    const vectors = [...this.#vectors.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    return this.passages.bytes + vectors;
  }

  /** The passages of a document, in their order. */
  chunksOf(id: string): Chunk[] {
    const chunks: Chunk[] = [];
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
  *embedded(): Generator<{ start: number; vectors: VectorMatrix }> {
    // A document's passages follow each other, in the order in which the documents were added.
    let start = 0;
    for (const [id, { chunks }] of this.#revisions) {
      const vectors = this.#vectors.get(id);
      if (vectors !== undefined) yield { start, vectors };
      start += chunks;
    }
  }

  /** Settles when the index holds what the base held at `version`, or later. */
  async reach(version: string): Promise<void> {
    // An update under way may have begun before the version was there.
    if (this.#version !== version) await this.#update;
    if (this.#version !== version) await (this.#update ??= this.#bringUp());
  }

  async #bringUp(): Promise<void> {
    try {
      const version = await this.#source.version(this.#of);
      const wanted = await this.#source.revisions(this.#of);
      // While it changes it is at no version: who searches meanwhile waits.
      this.#version = undefined;
      await this.#removeAllBut(wanted);
      await this.#addAll(wanted);
      this.#version = version;
    } finally {
      this.#update = undefined;
    }
  }

  async #removeAllBut(wanted: ReadonlyMap<string, FoundRevision>): Promise<void> {
    const gone = [...this.#revisions].filter(([id, { id: is }]) => wanted.get(id)?.id !== is);
    if (gone.length === 0) return;
    await this.passages.remove(new Set(gone.map(([id]) => id)));
    for (const [id] of gone) {
      this.#revisions.delete(id);
      this.#vectors.delete(id);
    }
  }

  async #addAll(wanted: ReadonlyMap<string, FoundRevision>): Promise<void> {
    const added = [...wanted].filter(([id]) => !this.#revisions.has(id));
    const breather = new Breather();
    for await (const { id, revision, chunks } of this.#read(added)) {
      // Neither has it passages that nobody counted: who numbers them goes by the count.
      if (chunks?.length !== revision.chunks) continue;
      const fallback = languageOf(chunks);
      for (const chunk of chunks) {
        this.passages.add(chunk, { fallback });
        if (breather.due) await breather.breathe();
      }
      this.#revisions.set(id, revision);
    }
    this.passages.settle();
  }

  async *#read(documents: readonly [string, FoundRevision][]): AsyncGenerator<ReadAhead> {
    const reading: Promise<ReadAhead>[] = [];
    for (const [id, revision] of documents) {
      const next = this.#source.chunks({ ...this.#of, id }, revision)
        .then((chunks) => ({ id, revision, chunks }));
      // It is thrown where it is awaited, which may be after another one has failed.
      next.catch(() => {});
      reading.push(next);
      if (reading.length === READ_AHEAD) yield await reading.shift()!;
    }
    for (const rest of reading) yield await rest;
  }
}

/** A document whose passages have been read. */
interface ReadAhead {
  id: string;
  revision: FoundRevision;
  chunks: readonly Chunk[] | undefined;
}

function languageOf(chunks: readonly Chunk[]) {
  const sample = chunks.slice(0, SAMPLE_CHUNKS).map(({ text }) => text).join("\n");
  return detectLanguage(wordsOf(sample));
}
