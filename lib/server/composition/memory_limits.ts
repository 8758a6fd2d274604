/** What the parts of a process that grow with use may hold in memory. */
export interface MemoryLimits {
  /** Indexes of knowledge bases together, bytes by their own estimate; the one in use always stays. */
  indexBytes: number;
  /** JSON bodies and forms being read, bytes; a sender has a quarter of it. */
  bodyBytes: number;
  /** Values of the store kept by the committer. */
  cachedValues: number;
}

/** For a process with 512 MB: a tenth of what others keep of the store, a third or a quarter of the rest. */
export const SMALL_MEMORY_LIMITS: MemoryLimits = {
  indexBytes: 64 * 1_048_576,
  bodyBytes: 32 * 1_048_576,
  cachedValues: 5_000,
};
