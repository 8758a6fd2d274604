/** Why a document ends as `failed`; stable. */
export const UNREADABLE_CODES = [
  "unsupported_type",
  "encrypted",
  "damaged",
  "no_text",
  "too_complex",
  "too_long",
  "interrupted",
] as const;
export type UnreadableCode = typeof UNREADABLE_CODES[number];

/** A document that cannot be read. Its message is shown to the person who sent it. */
export class UnreadableError extends Error {
  override name = "UnreadableError";
  readonly code: UnreadableCode;

  constructor(code: UnreadableCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
