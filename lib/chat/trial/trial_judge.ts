import {
  type Grade,
  GRADE_TOKENS,
  type GradedAnswer,
  gradeQuestion,
  judgeAnswer,
} from "../../agent/judge_answer.ts";
import type { ModelAccess, ModelName } from "../../billing/model_access.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { ModelRegistry } from "../../providers/model_registry.ts";
import { outputLimit, stepCost } from "../cost/step_cost.ts";
import { RunUsage } from "../cost/run_usage.ts";
import type { TrialJob } from "./trial_job.ts";

interface TrialJudgeDeps {
  access: Pick<ModelAccess, "find">;
  models: Pick<ModelRegistry, "find">;
  runtime: Pick<Runtime, "sleep">;
}

/** Grades the answers of trials, at the expense of their job. */
export class TrialJudge {
  readonly #deps: TrialJudgeDeps;

  constructor(deps: TrialJudgeDeps) {
    this.#deps = deps;
  }

  /** `out_of_budget` if the job has not left the most that a grade can cost. */
  async grade(
    graded: GradedAnswer,
    { tenant, agentId, judge, job }: {
      tenant: string;
      agentId: string;
      judge: ModelName;
      job: Pick<TrialJob, "spend" | "signal">;
    },
  ): Promise<{ grade: Grade | "unavailable"; cost: number } | "out_of_budget"> {
    const { access, models, runtime } = this.#deps;
    const entry = await access.find(tenant, judge);
    const { inputBytes, inputTokens } = gradeQuestion(graded);
    // The provider would reject it; every token has at least one byte.
    if (entry === undefined || inputTokens / 3 > entry.contextTokens) {
      return { grade: "unavailable", cost: 0 };
    }
    const { vendor: provider, model } = entry;
    const step = { inputBytes, inputTokens, outputTokens: GRADE_TOKENS };
    const wanted = stepCost([entry], step).max;
    const spent = await job.spend({ agentId, provider, model, wanted, least: wanted }, async () => {
      const usage = new RunUsage(() => entry);
      let grade: Grade | "unavailable" = "unavailable";
      try {
        grade = await judgeAnswer(graded, {
          candidate: { provider, model, client: models.find(provider, model) },
          authorize: () => Promise.resolve({ outputTokens: () => outputLimit(entry, step) }),
          onUsage: (candidate, used) =>
            usage.addTokens({ ...used, provider: candidate.provider, model: candidate.model }),
          runtime,
          signal: job.signal,
        });
      } catch {
        // Whatever went wrong, what was used until then is charged.
      }
      return { grade, cost: usage.costMicroUsd, shares: usage.shares };
    });
    if (spent === undefined) return "out_of_budget";
    return { grade: spent.result.grade, cost: spent.result.cost };
  }
}
