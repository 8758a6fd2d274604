/** One value to be encrypted anew, in a step of its own. */
export interface ResealStep {
  /** What was read: the step fails when somebody has changed it since. */
  entry: Deno.KvEntryMaybe<unknown>;
  /** Writes the value, or deletes what nobody can read any more. */
  write: (step: Deno.AtomicOperation) => void;
}

/** How one kind of stored values is encrypted anew. */
export interface ResealTask {
  /** As an operator reads it, such as `tool secrets`. */
  kind: string;
  prefix: Deno.KvKey;
  /**
   * What of an entry, and of what belongs to it, is not as it would be written now. Throws `UnsealError`
   * or `UnreadableContentError` for what does not decrypt, `ResealPendingError` for what will have to be
   * looked at again.
   */
  reseal(entry: Deno.KvEntry<unknown>): AsyncIterable<ResealStep>;
}

/** The value belongs to a running run and must be visited again. */
export class ResealPendingError extends Error {
  override name = "PendingError";
}
