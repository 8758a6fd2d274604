/** One value to be encrypted with the current key, in a step of its own. */
export interface ResealStep {
  /** What was read: the step fails if it was changed since. */
  entry: Deno.KvEntryMaybe<unknown>;
  /** Writes the value, or deletes one that no record refers to. */
  write: (step: Deno.AtomicOperation) => void;
}

/** How one kind of stored values is encrypted with the current key. */
export interface ResealTask {
  /** A name for operators, such as `tool secrets`. */
  kind: string;
  prefix: Deno.KvKey;
  /**
   * The values of an entry, and of what belongs to it, that are not in their current form. Throws
   * `UnsealError` or `UnreadableContentError` for those that cannot be decrypted, and
   * `ResealPendingError` for an entry to be visited again.
   */
  reseal(entry: Deno.KvEntry<unknown>): AsyncIterable<ResealStep>;
}

/** The value belongs to an active run and must be visited again. */
export class ResealPendingError extends Error {
  override name = "ResealPendingError";
}
