import type { Revision } from "../../storage/document_record.ts";
import type { DocumentName } from "../../storage/keys.ts";
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

/** Where an index is built from; every read is strongly consistent. */
export interface ChunkSource {
  /** Another one after every change of what can be found; undefined where there is no such base. */
  version(of: BaseName): Promise<string | undefined>;
  /** The documents that can be found, by their ids. */
  revisions(of: BaseName): Promise<ReadonlyMap<string, FoundRevision>>;
  /** The passages of a document in their order; undefined when they have gone meanwhile. */
  chunks(of: DocumentName, revision: FoundRevision): Promise<readonly Chunk[] | undefined>;
}
