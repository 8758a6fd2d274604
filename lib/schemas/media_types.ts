export const DOCUMENT_TYPES = [
  "text/plain",
  "text/markdown",
  "text/html",
  "text/csv",
  "application/pdf",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  "application/vnd.oasis.opendocument.text",
  "application/epub+zip",
] as const;
export type DocumentType = typeof DOCUMENT_TYPES[number];

/** The type of an unsupported document, which ends as `failed`. */
export const UNKNOWN_TYPE = "application/octet-stream";
export type MediaType = DocumentType | typeof UNKNOWN_TYPE;
