/** The outcome of a function that was called once. */
export interface TryResult<T> {
  /** `undefined` if the function threw. */
  readonly value: T | undefined;
  /** Returns the value, or throws what the function threw. */
  unwrap(): T;
}

/** Calls `make` now and keeps its error, so that errors with higher precedence can be sent first. */
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
