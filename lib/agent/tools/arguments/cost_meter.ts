/** Steps that one check may take; about a tenth of a second. */
const MAX_STEPS = 5_000_000;

/** Thrown when a check would take too long. */
export class CostLimitError extends Error {
  override name = "CostLimitError";
}

/** Limits the cost of compiling and running a check, so that no schema or value blocks the process. */
export class CostMeter {
  #remaining = MAX_STEPS;

  reset(): void {
    this.#remaining = MAX_STEPS;
  }

  charge(steps: number): void {
    this.#remaining -= steps;
    if (this.#remaining < 0) throw new CostLimitError("the arguments cost too much to check");
  }
}
