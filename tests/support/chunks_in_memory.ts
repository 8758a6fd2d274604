import type { DocumentPassage } from "@/lib/knowledge/passage.ts";
import type {
  IndexedRevision,
  KnowledgeBaseState,
  PassageSource,
} from "@/lib/knowledge/search/passage_source.ts";
import type { KnowledgeLanguage } from "@/lib/schemas/knowledge_languages.ts";

/** A document of one passage. */
export interface TextDocument {
  id: string;
  title?: string;
  text: string;
}

/** An in-memory knowledge base of documents with one passage each. */
export class ChunksInMemory implements PassageSource {
  readonly #chunks = new Map<string, DocumentPassage>();
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

  readState(): Promise<KnowledgeBaseState> {
    return Promise.resolve({ version: String(this.#version), language: this.#language });
  }

  readRevisions(): Promise<ReadonlyMap<string, IndexedRevision>> {
    const revisions = [...this.#chunks].map(([id, { title }]) => {
      return [id, { id, parts: 1, chunks: 1, title }] as const;
    });
    return Promise.resolve(new Map(revisions));
  }

  readPassages({ id }: { id: string }): Promise<readonly DocumentPassage[] | undefined> {
    const chunk = this.#chunks.get(id);
    return Promise.resolve(chunk && [chunk]);
  }
}
