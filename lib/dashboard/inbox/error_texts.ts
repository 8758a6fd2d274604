import type { StreamErrorCode } from "../../schemas/error_codes.ts";
import { msg } from "../texts/translate.ts";

/** Why a run failed, in plain words. */
export const ERROR_TEXTS: Record<StreamErrorCode, string> = {
  budget_exceeded: msg("The answer reached the agent's cost limit."),
  provider_error: msg(
    "The model provider returned an error. Check its connection and the model's name.",
  ),
  provider_timeout: msg("The model provider didn't answer in time."),
  provider_rate_limited: msg("The model provider's rate limit was reached."),
  plan_limit_exceeded: msg("The spending limit of the plan was reached during the answer."),
  run_interrupted: msg("The service stopped before the answer was complete."),
  internal_error: msg("Something went wrong in the service. See its log."),
};

/** The text of any error's code. A rehearsal can also end before a model is asked. */
export function errorText(code: string): string {
  return Object.entries(ERROR_TEXTS).find(([known]) => known === code)?.[1] ??
    msg("This version could not answer.");
}
