/** Steps one check may take, of the order of a tenth of a second. */
const MOST = 5_000_000;

/** Thrown when a check would take too long. */
export class TooCostly extends Error {
  override name = "TooCostly";
}

/** Counts what a check of arguments costs, so that no schema and no value can hold the process. */
export class CostMeter {
  #left = MOST;

  reset(): void {
    this.#left = MOST;
  }

  charge(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooCostly("the arguments cost too much to check");
  }
}
