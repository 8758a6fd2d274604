/** Why a document ends as `failed`; stable. */
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

/** A document that cannot be read. Its message is shown to the person who sent it. */
export class DocumentParseError extends Error {
  override name = "UnreadableError";
  readonly code: DocumentParseErrorCode;

  constructor(code: DocumentParseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
