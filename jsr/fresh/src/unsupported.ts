/**
 * Thrown by public names that this package does not implement. If they were absent or did nothing, the
 * error would appear far from its cause.
 */
export function notInThisBuild(name: string): never {
  throw new Error(`${name} is not in this build`);
}

export type Unsupported = (..._args: unknown[]) => never;

/** A function that is not in this build. */
export function unsupported(name: string): Unsupported {
  return () => notInThisBuild(name);
}
