/** Why a document ends as `failed`; stable. */
export type UnreadableCode =
  | "unsupported_type"
  | "encrypted"
  | "damaged"
  | "no_text"
  | "too_complex"
  | "too_long"
  | "interrupted";

/** A document that cannot be read. Its message is shown to the person who sent it. */
export class UnreadableError extends Error {
  override name = "UnreadableError";
  readonly code: UnreadableCode;

  constructor(code: UnreadableCode, message: string) {
    super(message);
    this.code = code;
  }
}
