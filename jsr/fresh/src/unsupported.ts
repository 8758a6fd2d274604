/**
 * The answer of every public name that this package does not carry. Such a name is present and throws:
 * if it were absent, or did nothing, the fault would show up far from its cause.
 */
export function notInThisBuild(name: string): never {
  throw new Error(`${name} is not in this build`);
}

export type Unsupported = (..._args: unknown[]) => never;

/** A function that is left out. */
export function unsupported(name: string): Unsupported {
  return () => notInThisBuild(name);
}
