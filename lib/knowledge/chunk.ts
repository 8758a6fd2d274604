/** A passage of a document: what is indexed, found and shown to a model. */
export interface Chunk {
  documentId: string;
  /** 0-based in the document. */
  position: number;
  /** The headings it stands under, outermost first. */
  headingPath: string[];
  /** Of the document. */
  title: string;
  text: string;
  /** Estimated; see `estimateTokens`. */
  tokens: number;
}
