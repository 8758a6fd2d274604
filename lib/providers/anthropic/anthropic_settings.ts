import type { AdaptedRequest } from "../field_fallback.ts";
import { clampTemperature } from "../message_parts.ts";
import type { ModelMessage } from "../model.ts";
import { withoutDialect } from "../schema_words.ts";
import { thinkingBudget } from "../thinking_budget.ts";

const MAX_TEMPERATURE = 1;
/** The smallest budget that the API accepts. */
const MIN_THINKING_TOKENS = 1_024;
/** Tokens that a thinking model has left for its answer. */
const MIN_ANSWER_TOKENS = 256;
/** The smallest `top_p` that the API accepts from a model that thinks. */
const MIN_THINKING_TOP_P = 0.95;

/** A budget of tokens, then the adaptive thinking of newer models, which reject a budget. */
export const REASONING_FORMS = 2;

/** Sampling, thinking and the form of the answer, in combinations that the API accepts. */
export function settingsFields(request: AdaptedRequest): Record<string, unknown> {
  const { stopSequences, responseSchema, schemaInWords } = request;
  const { effort, ...thinking } = thinkingFields(request);
  const format = responseSchema === undefined || schemaInWords
    ? undefined
    : { type: "json_schema", schema: withoutDialect(responseSchema) };
  return {
    ...samplingFields(request, "thinking" in thinking),
    ...(stopSequences === undefined ? {} : { stop_sequences: stopSequences }),
    ...thinking,
    ...(effort === undefined && format === undefined ? {} : {
      output_config: {
        ...(effort === undefined ? {} : { effort }),
        ...(format === undefined ? {} : { format }),
      },
    }),
  };
}

/** A model takes either of the two, and only values near 1 while it thinks. */
function samplingFields({ temperature, topP }: AdaptedRequest, thinks: boolean) {
  if (thinks) return topP === undefined ? {} : { top_p: Math.max(topP, MIN_THINKING_TOP_P) };
  if (temperature !== undefined) return clampTemperature(temperature, MAX_TEMPERATURE);
  return topP === undefined ? {} : { top_p: topP };
}

function thinkingFields(request: AdaptedRequest): { thinking?: unknown; effort?: string } {
  const { reasoningEffort: effort, reasoningForm, maxOutputTokens, messages } = request;
  if (effort === undefined || effort === "minimal") return {};
  // Models with adaptive thinking show nothing of it unless they are asked to.
  if (reasoningForm === 1) return { thinking: { type: "adaptive", display: "summarized" }, effort };
  if (beganWithoutThinking(messages)) return {};
  const max = maxOutputTokens - MIN_ANSWER_TOKENS;
  if (reasoningForm > 1 || max < MIN_THINKING_TOKENS) return {};
  const budget = thinkingBudget(effort, { maxOutputTokens, min: MIN_THINKING_TOKENS, max });
  return { thinking: { type: "enabled", budget_tokens: budget } };
}

/**
 * True if the results to answer belong to a turn that began without thinking, such as another model's:
 * the API rejects a budget in the middle of it. With a budget, a model thinks before its first call only,
 * and the setting must stay the same until the turn ends; adaptive thinking may begin at any time.
 */
function beganWithoutThinking(messages: readonly ModelMessage[]): boolean {
  const question = messages.findLastIndex(({ role }) => role === "user");
  const first = messages.slice(question + 1).find(({ role }) => role === "assistant");
  return first?.role === "assistant" && first.providerMetadata === undefined;
}
