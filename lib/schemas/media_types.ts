export const DOCUMENT_TYPES = [
  "text/plain",
  "text/markdown",
  "text/html",
  "application/pdf",
] as const;
export type DocumentType = typeof DOCUMENT_TYPES[number];

/** The type of an unsupported document, which ends as `failed`. */
export const UNKNOWN_TYPE = "application/octet-stream";
export type MediaType = DocumentType | typeof UNKNOWN_TYPE;
