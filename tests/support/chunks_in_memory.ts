import type { Chunk } from "@/lib/knowledge/chunk.ts";
import type { BaseState, ChunkSource, FoundRevision } from "@/lib/knowledge/search/chunk_source.ts";
import type { KnowledgeLanguage } from "@/lib/schemas/knowledge_languages.ts";

/** A document of one passage. */
export interface TextDocument {
  id: string;
  title?: string;
  text: string;
}

/** A knowledge base of documents of one passage each, which is not in a store. */
export class ChunksInMemory implements ChunkSource {
  readonly #chunks = new Map<string, Chunk>();
  #version = 0;
  #language: KnowledgeLanguage | undefined;

  constructor(
    documents: readonly TextDocument[],
    { language }: { language?: KnowledgeLanguage } = {},
  ) {
    this.#language = language;
    this.add(documents);
  }

  add(documents: readonly TextDocument[]): void {
    for (const { id, title = "", text } of documents) {
      this.#chunks.set(id, {
        documentId: id,
        position: 0,
        headingPath: [],
        title,
        text,
        tokens: 0,
      });
    }
    this.#version++;
  }

  setLanguage(language: KnowledgeLanguage | undefined): void {
    this.#language = language;
    this.#version++;
  }

  state(): Promise<BaseState> {
    return Promise.resolve({ version: String(this.#version), language: this.#language });
  }

  revisions(): Promise<ReadonlyMap<string, FoundRevision>> {
    const revisions = [...this.#chunks].map(([id, { title }]) => {
      return [id, { id, parts: 1, chunks: 1, title }] as const;
    });
    return Promise.resolve(new Map(revisions));
  }

  chunks({ id }: { id: string }): Promise<readonly Chunk[] | undefined> {
    const chunk = this.#chunks.get(id);
    return Promise.resolve(chunk && [chunk]);
  }
}
