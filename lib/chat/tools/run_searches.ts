import { betterCoverage, type Coverage } from "../../schemas/coverage.ts";

/** How much the searches of a run found in the agent's knowledge base. */
export class RunSearches {
  /** Of the best search; `undefined` before the first. */
  coverage: Coverage | undefined;

  readonly add = (coverage: Coverage): void => {
    this.coverage = betterCoverage(this.coverage, coverage);
  };
}
