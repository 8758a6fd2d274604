import type { StreamErrorCode } from "../../schemas/error_codes.ts";

/** Why a run failed, in plain words. */
export const ERROR_TEXTS: Record<StreamErrorCode, string> = {
  budget_exceeded: "The answer reached the agent's cost limit.",
  provider_error:
    "The model provider returned an error. Check its connection and the model's name.",
  provider_timeout: "The model provider didn't answer in time.",
  provider_rate_limited: "The model provider's rate limit was reached.",
  plan_limit_exceeded: "The spending limit of the plan was reached during the answer.",
  run_interrupted: "The service stopped before the answer was complete.",
  internal_error: "Something failed inside the service. Its log says more.",
};
