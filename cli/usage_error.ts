/** A command line that means nothing; the message says what would. */
export class UsageError extends Error {
  override name = "UsageError";
}
