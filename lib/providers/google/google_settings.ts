import type { AdaptedRequest } from "../field_fallback.ts";
import { withoutDialect } from "../schema_words.ts";
import { thinkingBudget } from "../thinking_budget.ts";

/** Budgets that every model of the 2.5 family accepts; the large one cannot turn thinking off. */
const MIN_BUDGET = 512;
const MAX_BUDGET = 24_576;
const MIN_PRO_BUDGET = 128;

/** A level or a budget, whichever the model's family has, then the other. */
export const REASONING_FORMS = 2;

/** Gemini 3 takes a level, older models a number of tokens; no model takes both. */
export function thinkingConfig(
  request: AdaptedRequest,
): { thinkingConfig?: Record<string, unknown> } {
  const { model, reasoningEffort: effort, reasoningForm, maxOutputTokens } = request;
  if (effort === undefined || reasoningForm >= REASONING_FORMS) return {};
  const takesBudget = /gemini-[12]\b/.test(model) !== (reasoningForm === 1);
  if (!takesBudget) return { thinkingConfig: { thinkingLevel: effort, includeThoughts: true } };
  // A small limit leaves a fifth of it for the answer.
  const max = Math.min(MAX_BUDGET, Math.floor(maxOutputTokens * 0.8));
  const budget = thinkingBudget(effort, { maxOutputTokens, min: Math.min(MIN_BUDGET, max), max });
  if (budget > 0) {
    return { thinkingConfig: { thinkingBudget: budget, includeThoughts: true } };
  }
  return { thinkingConfig: { thinkingBudget: /pro/.test(model) ? MIN_PRO_BUDGET : 0 } };
}

export function schemaConfig(
  { responseSchema, schemaInWords }: AdaptedRequest,
): { responseMimeType?: string; responseJsonSchema?: unknown } {
  if (responseSchema === undefined || schemaInWords) return {};
  const responseJsonSchema = withoutDialect(responseSchema);
  return { responseMimeType: "application/json", responseJsonSchema };
}
