import type { Revision } from "../../store/knowledge/document_record.ts";
import type { DocumentName } from "../../store/keys/keys.ts";
import type { KnowledgeLanguage } from "../../schemas/knowledge_languages.ts";
import type { DocumentPassage } from "../passage.ts";

/** What names one knowledge base. */
export interface KnowledgeBaseName {
  tenant: string;
  base: string;
}

/** What of a document is to be found. */
export interface IndexedRevision extends Revision {
  title: string;
}

/** A base as it is stored at one moment. */
export interface KnowledgeBaseState {
  /** Another one after every change of the base or of what can be found in it. */
  version: string;
  /** The language that its owner has set. */
  language?: KnowledgeLanguage | undefined;
}

/** Where an index is built from; every read is strongly consistent. */
export interface PassageSource {
  /** Undefined where there is no such base. */
  readState(of: KnowledgeBaseName): Promise<KnowledgeBaseState | undefined>;
  /** The documents that can be found, by their ids. */
  readRevisions(of: KnowledgeBaseName): Promise<ReadonlyMap<string, IndexedRevision>>;
  /** The passages of a document in their order; undefined when they have gone meanwhile. */
  readPassages(
    of: DocumentName,
    revision: IndexedRevision,
  ): Promise<readonly DocumentPassage[] | undefined>;
}
