/** Stored error codes of documents that failed. */
export const DOCUMENT_PARSE_ERROR_CODES = [
  "unsupported_type",
  "encrypted",
  "damaged",
  "no_text",
  "too_complex",
  "too_long",
  "interrupted",
] as const;
export type DocumentParseErrorCode = typeof DOCUMENT_PARSE_ERROR_CODES[number];

/** The message is shown to the person who uploaded the document. */
export class DocumentParseError extends Error {
  override name = "DocumentParseError";
  readonly code: DocumentParseErrorCode;

  constructor(code: DocumentParseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
