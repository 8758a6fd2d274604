/** What came of trying something once, to be had as often as is asked for. */
export interface Attempt<T> {
  /** The value, or nothing when it failed. */
  readonly value: T | undefined;
  /** The value; throws what the attempt threw. */
  get(): T;
}

/**
 * Tries `make` now and keeps what comes of it, so that a fault in a body can be told after whatever is
 * to be told before it.
 */
export function attempt<T>(make: () => T): Attempt<T> {
  try {
    const value = make();
    return { value, get: () => value };
  } catch (error) {
    return {
      value: undefined,
      get() {
        throw error;
      },
    };
  }
}
