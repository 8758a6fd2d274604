/** Steps one check may take, of the order of a tenth of a second. */
const MAX_STEPS = 5_000_000;

/** Thrown when a check would take too long. */
export class CostLimitError extends Error {
  override name = "TooCostly";
}

/** Counts what a check of arguments costs, so that no schema and no value can hold the process. */
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
