import type { BillingObserver } from "../../billing/billing_observer.ts";
import type { NonRunCost } from "../../billing/non_run_charges.ts";
import type { MetricRegistry } from "../../platform/metrics/metric_registry.ts";
import type { ProviderFailure } from "../../providers/provider_failure.ts";
import type { ProviderId } from "../../schemas/provider_id.ts";
import type { RunFacts, RunRecord } from "../../store/runs/run_record.ts";
import { usageShares } from "../../store/runs/usage_rows.ts";

/** From the first words of a fast model to the time limit of a run, seconds. */
const FIRST_TEXT_BUCKETS = [0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 60];
const RUN_BUCKETS = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600];
/** Models are named by operators, so a catalogue bounds their number, generously. */
const MAX_MODEL_SERIES = 500;
const MICRO_USD = 1_000_000;

/** What chats do and cost. Tokens and money are those of the ledgers, exactly. */
export class ChatMetrics implements BillingObserver {
  readonly #started;
  readonly #ended;
  readonly #firstText;
  readonly #duration;
  readonly #steps;
  readonly #toolCalls;
  readonly #tokens;
  readonly #cost;
  readonly #excess;
  readonly #responses;
  readonly #failures;

  constructor(registry: MetricRegistry) {
    this.#started = registry.counter({
      name: "agent_chat_runs_started",
      help: "Runs that were admitted, by who started them.",
      labels: ["source"],
    });
    this.#ended = registry.counter({
      name: "agent_chat_runs_ended",
      help: "Runs that were settled, by how they ended; error is none or the error code.",
      labels: ["end", "error"],
    });
    this.#firstText = registry.histogram({
      name: "agent_chat_first_text_seconds",
      help: "Time from the admission of a run to its first text.",
      labels: ["provider"],
      buckets: FIRST_TEXT_BUCKETS,
    });
    this.#duration = registry.histogram({
      name: "agent_chat_run_duration_seconds",
      help: "Time from the admission of a run to its end.",
      labels: ["provider"],
      buckets: RUN_BUCKETS,
    });
    this.#steps = registry.counter({
      name: "agent_chat_steps",
      help: "Model calls of settled runs.",
    });
    this.#toolCalls = registry.counter({
      name: "agent_chat_tool_calls",
      help: "Tool calls of settled runs.",
    });
    this.#tokens = registry.counter({
      name: "agent_chat_tokens",
      help:
        "Tokens in the usage of tenants; kind is run or other, such as embeddings and test runs.",
      labels: ["kind", "provider", "model", "type"],
      maxSeries: 4 * MAX_MODEL_SERIES,
    });
    this.#cost = registry.counter({
      name: "agent_chat_cost_usd",
      help: "Money charged to tenants; kind is run, other, or abandoned if a process died with it.",
      labels: ["kind", "provider", "model"],
      maxSeries: 2 * MAX_MODEL_SERIES,
      divisor: MICRO_USD,
    });
    this.#excess = registry.counter({
      name: "agent_chat_uncharged_cost_usd",
      help: "What providers reported beyond every limit, so that no tenant was charged.",
      divisor: MICRO_USD,
    });
    this.#responses = registry.counter({
      name: "agent_chat_provider_responses",
      help: "Requests that a model provider accepted.",
      labels: ["provider"],
    });
    this.#failures = registry.counter({
      name: "agent_chat_provider_failures",
      help: "Attempts at a model provider that failed, also if a later attempt succeeded.",
      labels: ["provider", "code"],
    });
  }

  onAdmitted({ source }: RunFacts): void {
    this.#started.add({ source: source.kind });
  }

  onSettled(run: RunRecord): void {
    const { finishReason: end, errorCode: error = "none", provider } = run;
    this.#ended.add({ end, error });
    if (run.firstTextMs !== undefined) {
      this.#firstText.observe({ provider }, run.firstTextMs / 1_000);
    }
    this.#duration.observe({ provider }, Math.max(0, run.endedAt - run.startedAt) / 1_000);
    this.#steps.add({}, run.steps);
    this.#toolCalls.add({}, run.toolCalls);
    for (const share of usageShares(run)) this.#addUsage("run", share);
    this.#excess.add({}, run.excess);
  }

  onCharged(used: readonly NonRunCost[]): void {
    for (const one of used) this.#addUsage("other", { outputTokens: 0, ...one });
  }

  onAbandoned(cost: number): void {
    this.#cost.add({ kind: "abandoned", provider: "none", model: "none" }, cost);
  }

  onResponse(provider: ProviderId): void {
    this.#responses.add({ provider });
  }

  onFailure({ vendor: provider, code }: ProviderFailure): void {
    this.#failures.add({ provider, code });
  }

  #addUsage(
    kind: "run" | "other",
    { provider, model, inputTokens, outputTokens, cost }:
      & Pick<RunRecord, "provider" | "model" | "inputTokens" | "outputTokens">
      & { cost: number },
  ): void {
    this.#tokens.add({ kind, provider, model, type: "input" }, inputTokens);
    this.#tokens.add({ kind, provider, model, type: "output" }, outputTokens);
    this.#cost.add({ kind, provider, model }, cost);
  }
}
