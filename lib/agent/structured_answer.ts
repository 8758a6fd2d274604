import { tryParseJson } from "../platform/json.ts";
import type { StopReason } from "../providers/model.ts";
import type { AgentEvent, AgentOutcome } from "./agent_run_options.ts";
import type { ArgumentValidator } from "./tools/arguments/compile_parameters.ts";

/** What follows an answer: the run's outcome, or the question that asks for it once more. */
export type AnswerVerdict = { outcome: AgentOutcome } | { repair: string };

const FENCE = /^```(?:json)?\s*\n([\s\S]*?)\n?\s*```$/;
const MAX_ISSUE_LENGTH = 500;

const INVALID: AgentOutcome = {
  finishReason: "error",
  error: {
    code: "provider_error",
    message: "the model's answer is not valid against the agent's response schema",
  },
};

/**
 * Holds back the text of a run whose answer must match a schema: half a JSON text is of no use, and an
 * answer that turns out to be invalid must not have been shown. What a model writes beside its calls is
 * not part of the answer.
 */
export class StructuredAnswer {
  readonly #validate: ArgumentValidator;
  readonly #onEvent: (event: AgentEvent) => void;
  #isRepaired = false;

  constructor(
    { validate, onEvent }: {
      validate: ArgumentValidator;
      onEvent: (event: AgentEvent) => void;
    },
  ) {
    this.#validate = validate;
    this.#onEvent = onEvent;
  }

  /** Passes on every event but text. */
  readonly onStepEvent = (event: AgentEvent): void => {
    if (event.type !== "text") this.#onEvent(event);
  };

  /** Sends a valid answer; an invalid one is asked for once more, if there may be another step. */
  finish(
    content: string,
    { finishReason, canRepair }: { finishReason: StopReason; canRepair: boolean },
  ): AnswerVerdict {
    const reason = finishReason === "tool_calls" ? "stop" : finishReason;
    // A filter ended the answer; what there is of it was not meant as one.
    if (reason === "content_filter") return { outcome: { finishReason: reason } };
    const text = unfenced(content);
    const value = tryParseJson(text);
    const issue = value === undefined ? "it is not JSON" : this.#validate(value);
    if (issue === undefined) {
      this.#onEvent({ type: "text", text });
      return { outcome: { finishReason: reason } };
    }
    // A model that has reached its limit reaches it again. Not an error that clients would retry.
    if (reason === "length") return { outcome: { finishReason: reason } };
    if (this.#isRepaired || !canRepair) return { outcome: INVALID };
    this.#isRepaired = true;
    return { repair: repairQuestion(issue) };
  }
}

/** Models that were asked in words often add a fence. */
function unfenced(content: string): string {
  const text = content.trim();
  return FENCE.exec(text)?.[1]?.trim() ?? text;
}

function repairQuestion(issue: string): string {
  const about = issue.replace("the arguments", "the answer").slice(0, MAX_ISSUE_LENGTH);
  return `Your last answer is not valid against the JSON Schema: ${about}. ` +
    "Answer again, with the corrected JSON text only.";
}
