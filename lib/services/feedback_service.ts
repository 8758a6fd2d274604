import type { RunRegistry } from "../chat/run_registry.ts";
import { isoTime } from "../platform/runtime.ts";
import { ApiError } from "../schemas/api_error.ts";
import type { DayRange } from "../schemas/day_range.ts";
import type { AgentFeedback, Feedback, FeedbackBody } from "../schemas/feedback.ts";
import { sumRatings } from "../store/feedback/feedback_counts.ts";
import type { StoredFeedback } from "../store/feedback/feedback_record.ts";
import type { FeedbackStore } from "../store/feedback/feedback_store.ts";
import type { CanaryWatch } from "./publishing/canary_watch.ts";
import type { UnansweredStore } from "../store/unanswered/unanswered_store.ts";
import type { RunRecord } from "../store/runs/run_record.ts";

/** What visitors think of answers. Methods throw `ApiError`. */
export class FeedbackService {
  readonly #store: FeedbackStore;
  readonly #runs: Pick<RunRegistry, "settleIfOrphaned">;
  readonly #unanswered: Pick<UnansweredStore, "setReason"> | undefined;
  readonly #canaries: Pick<CanaryWatch, "note"> | undefined;

  /** Without `unanswered`, no questions are listed as unanswered; without `canaries`, none ends. */
  constructor(store: FeedbackStore, { runs, unanswered, canaries }: {
    runs: Pick<RunRegistry, "settleIfOrphaned">;
    unanswered?: Pick<UnansweredStore, "setReason">;
    canaries?: Pick<CanaryWatch, "note">;
  }) {
    this.#store = store;
    this.#runs = runs;
    this.#unanswered = unanswered;
    this.#canaries = canaries;
  }

  /** The record of an ended run; one whose process died ends here. `undefined` for others. */
  async findEndedRun(tenant: string, runId: string): Promise<RunRecord | undefined> {
    const record = await this.#store.findRun(tenant, runId);
    if (record !== undefined) return record;
    if (await this.#runs.settleIfOrphaned(tenant, runId)) return undefined;
    return await this.#store.findRun(tenant, runId);
  }

  /** 404 if the answer is not rated. */
  async get(tenant: string, runId: string): Promise<Feedback> {
    const found = await this.#store.get(tenant, runId);
    if (found === undefined) throw new ApiError("not_found", "this answer is not rated");
    return toFeedback(found);
  }

  /** Replaces the feedback on a run as a whole; 404 if the run was deleted. */
  async rate(run: RunRecord, body: FeedbackBody): Promise<void> {
    if (!await this.#store.set(run, body)) throw new ApiError("not_found", "there is no such run");
    this.#canaries?.note(run);
    await this.#unanswered?.setReason(run, "rated_down", body.rating === "down");
  }

  /** Withdraws the feedback on a run, if there is any. */
  async withdraw(run: RunRecord): Promise<void> {
    await this.#store.set(run, undefined);
    await this.#unanswered?.setReason(run, "rated_down", false);
  }

  /** How the answers of an agent were rated on the days of `range`. */
  async counts(
    tenant: string,
    { agentId, range }: { agentId: string; range: DayRange },
  ): Promise<AgentFeedback> {
    const days = await this.#store.counts(tenant, agentId, range);
    return { agentId, ...sumRatings(days), days };
  }
}

export function toFeedback({ ratedAt, ...stored }: StoredFeedback): Feedback {
  return { ...stored, ratedAt: isoTime(ratedAt) };
}
