/** Thrown by every assertion here. `node:assert` has a class of the same name that is not this one. */
export class AssertionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AssertionError";
  }
}
