import { validationError } from "../../schemas/api_error.ts";
import type { PublishGate } from "../../schemas/publication.ts";
import type { TestSetStore } from "../../store/test_sets/test_set_store.ts";
import type { TestRunReader } from "../test_sets/test_run_reader.ts";

interface PublishGatesDeps {
  sets: Pick<TestSetStore, "find">;
  runs: Pick<TestRunReader, "newestFirst">;
}

type AgentName = { tenant: string; id: string };

/** Checks that versions have passed the test set that their agent requires. Methods throw `ApiError`. */
export class PublishGates {
  readonly #deps: PublishGatesDeps;

  constructor(deps: PublishGatesDeps) {
    this.#deps = deps;
  }

  /** 400 without the test set, or if it is another agent's. */
  async checkGate({ tenant, id }: AgentName, { testSetId }: PublishGate): Promise<void> {
    const set = await this.#deps.sets.find({ tenant, id: testSetId });
    if (set === undefined) {
      const message = "there is no such test set";
      throw validationError([{ path: "testSetId", code: "not_found", message }]);
    }
    if (set.agentId === id) return;
    const message = "the test set is another agent's";
    throw validationError([{ path: "testSetId", code: "other_agent", message }]);
  }

  /** 400 unless the latest complete run of the version has passed, with the cases as they are now. */
  async check(
    { tenant, id }: AgentName,
    { gate: { testSetId }, version }: { gate: PublishGate; version: number },
  ): Promise<void> {
    const set = await this.#deps.sets.find({ tenant, id: testSetId });
    if (set === undefined) {
      reject("the required test set was deleted; change or remove the requirement first");
    }
    for await (const run of this.#deps.runs.newestFirst({ tenant, set: testSetId })) {
      if (run.agentId !== id || run.version !== version || run.state !== "done") continue;
      if (run.casesRevision !== set.casesRevision) break;
      if (run.passed / run.cases >= set.threshold) return;
      reject(
        `the version passed ${run.passed} of ${run.cases} tests, which is below the threshold`,
      );
    }
    reject("the version has no complete run of the current cases; run the test set first");
  }
}

function reject(message: string): never {
  throw validationError([{ path: "version", code: "tests_not_passed", message }]);
}
