import { compileRules } from "../../agent/guardrails/guardrail_rules.ts";
import { TextGuard } from "../../agent/guardrails/text_guard.ts";
import {
  GUARDRAIL_SIDES,
  type GuardrailRule,
  type GuardrailSide,
  guardrailsSchema,
} from "../../schemas/guardrails.ts";
import { type GuardrailValues, toGuardrails } from "./guardrails_form.ts";

/** Longer samples are cut. */
export const SAMPLE_LENGTH = 8_000;

export interface TriedSide {
  side: GuardrailSide;
  /** What would be shown, or read by the model. */
  text: string;
  rules: GuardrailRule[];
  /** Set if the answer would end here. */
  isStopped: boolean;
}

/** What the rules of a form would do to a text; nothing of a side that is invalid. Asks no classifier. */
export function tryGuardrails(values: GuardrailValues, sample: string): TriedSide[] {
  const parsed = guardrailsSchema.safeParse(toGuardrails(values) ?? {});
  if (!parsed.success) return [];
  return GUARDRAIL_SIDES.flatMap((side) => {
    const rules = compileRules(parsed.data[side] ?? {});
    if (rules.length === 0) return [];
    const matched = new Set<GuardrailRule>();
    const guard = new TextGuard({ rules, onMatch: ({ rule }) => matched.add(rule) });
    const text = guard.push(sample.slice(0, SAMPLE_LENGTH)) + guard.end();
    return [{ side, text, rules: [...matched], isStopped: guard.stoppedBy !== undefined }];
  });
}
