/** What came of trying something once, to be had as often as is asked for. */
export interface TryResult<T> {
  /** The value, or nothing when it failed. */
  readonly value: T | undefined;
  /** The value; throws what the attempt threw. */
  unwrap(): T;
}

/**
 * Tries `make` now and keeps what comes of it, so that a fault in a body can be told after whatever is
 * to be told before it.
 */
export function tryResult<T>(make: () => T): TryResult<T> {
  try {
    const value = make();
    return { value, unwrap: () => value };
  } catch (error) {
    return {
      value: undefined,
      unwrap() {
        throw error;
      },
    };
  }
}
