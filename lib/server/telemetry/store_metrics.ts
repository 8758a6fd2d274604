import type { MetricRegistry } from "../../platform/metrics/metric_registry.ts";
import type { FinishedCommit } from "../../store/tx/time_commit.ts";

/** A file's commit takes milliseconds; one of a distant server, up to seconds. */
const COMMIT_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** The store, as the transactions of this process see it. */
export class StoreMetrics {
  readonly #seconds;
  readonly #operations;

  constructor(registry: MetricRegistry) {
    this.#seconds = registry.histogram({
      name: "agent_chat_store_commit_seconds",
      help:
        "Time that the store takes for a commit, by its outcome: committed, conflict or failed.",
      labels: ["outcome"],
      buckets: COMMIT_BUCKETS,
    });
    this.#operations = registry.counter({
      name: "agent_chat_store_operations",
      help: "Operations in successful commits, which are batched.",
    });
  }

  onCommit({ outcome, operations, ms }: FinishedCommit): void {
    this.#seconds.observe({ outcome }, ms / 1_000);
    if (outcome === "committed") this.#operations.add({}, operations);
  }
}
