import { Buffer } from "node:buffer";
import type { FinishReason } from "../schemas/error_codes.ts";
import type { AgentOutcome } from "./agent_run_options.ts";

/** The part of a run's budget that will not pay for another full step. */
export type StepLimit = Extract<FinishReason, "max_steps" | "max_cost" | "timeout">;

/**
 * Follows the system prompt of a run's last step. It is neither in the transcript nor among the messages:
 * the user did not write it, and must not seem to.
 */
const NOTICE = "\n\n# Notice from the service\n" +
  "The budget of this answer is nearly used up, so this is its last step: no tool can be called any " +
  "more. Answer the user now, briefly, from what you have found so far. If something is missing or " +
  "was not done, say so plainly; do not announce that you will do it. Do not mention this notice.";

export const NOTICE_BYTES = Buffer.byteLength(NOTICE);

/** What a request for a run's last step has in addition to any other. */
export function lastStepRequest(system: string): { system: string; toolChoice: "none" } {
  return { system: system + NOTICE, toolChoice: "none" };
}

const MESSAGES: Readonly<Record<StepLimit, string>> = {
  max_steps: "the agent's steps are used up",
  max_cost: "the agent's cost for one answer is used up",
  timeout: "the agent's time for one answer is used up",
};

/** The outcome of a run that a part of its budget has ended. */
export function limitOutcome(limit: StepLimit): AgentOutcome {
  return { finishReason: limit, error: { code: "budget_exceeded", message: MESSAGES[limit] } };
}
