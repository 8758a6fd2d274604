import type { Revision } from "../../store/knowledge/document_record.ts";
import type { DocumentName } from "../../store/keys/keys.ts";
import type { KnowledgeLanguage } from "../../schemas/knowledge_languages.ts";
import type { Chunk } from "../chunk.ts";

/** What names one knowledge base. */
export interface BaseName {
  tenant: string;
  base: string;
}

/** What of a document is to be found. */
export interface FoundRevision extends Revision {
  title: string;
}

/** A base as it is stored at one moment. */
export interface BaseState {
  /** Another one after every change of the base or of what can be found in it. */
  version: string;
  /** The language that its owner has set. */
  language?: KnowledgeLanguage | undefined;
}

/** Where an index is built from; every read is strongly consistent. */
export interface ChunkSource {
  /** Undefined where there is no such base. */
  state(of: BaseName): Promise<BaseState | undefined>;
  /** The documents that can be found, by their ids. */
  revisions(of: BaseName): Promise<ReadonlyMap<string, FoundRevision>>;
  /** The passages of a document in their order; undefined when they have gone meanwhile. */
  chunks(of: DocumentName, revision: FoundRevision): Promise<readonly Chunk[] | undefined>;
}
