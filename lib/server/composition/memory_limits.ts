/** Memory limits of the parts that grow with use. */
export interface MemoryLimits {
  /** All knowledge base indexes together, estimated bytes. The index in use is never evicted. */
  indexBytes: number;
  /** JSON bodies and forms being read, bytes. One sender may use a quarter. */
  bodyBytes: number;
  /** Values cached by the group committer. */
  cachedValues: number;
}

/** For a process with 512 MB. */
export const SMALL_MEMORY_LIMITS: MemoryLimits = {
  indexBytes: 64 * 1_048_576,
  bodyBytes: 32 * 1_048_576,
  cachedValues: 5_000,
};
