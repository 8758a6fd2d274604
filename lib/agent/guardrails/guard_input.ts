import type { GuardrailAction, SideGuardrails } from "../../schemas/guardrails.ts";
import { asMasks, compileRules } from "./guardrail_rules.ts";
import { GuardrailHits } from "./guardrail_hits.ts";
import { guardText } from "./text_guard.ts";

/** How an answer ends early. */
export type StopAction = Exclude<GuardrailAction, "mask">;

export interface GuardedInput<T> {
  /** With every match replaced. */
  messages: T[];
  /** Set if the last message has a match that ends the answer. */
  stop?: StopAction;
  /** Of the last message; the others were counted when they were the last. */
  hits: GuardrailHits;
}

/** What a visitor wrote elsewhere than in a message, with every match replaced. */
export function maskInput(text: string, settings: SideGuardrails | undefined): string {
  return settings === undefined
    ? text
    : guardText(text, { rules: asMasks(compileRules(settings)) });
}

/**
 * Applies the rules of the input side. Whatever a rule's action, its matches are replaced in every
 * message, so that a blocked one reaches neither the store nor, with the next message, the model.
 */
export function guardInput<T extends { content: string }>(
  messages: readonly T[],
  settings: SideGuardrails,
): GuardedInput<T> {
  const rules = compileRules(settings);
  const hits = new GuardrailHits();
  if (rules.length === 0) return { messages: [...messages], hits };
  const masks = asMasks(rules);
  const actions = new Set<GuardrailAction>();
  const onMatch = ({ rule }: { rule: string }) => {
    const { rule: name, action } = rules.find((one) => one.rule === rule)!;
    hits.add({ side: "input", rule: name, action });
    actions.add(action);
  };
  const guarded = messages.map((message, n) => {
    const isLast = n === messages.length - 1;
    const content = guardText(message.content, { rules: masks, ...isLast && { onMatch } });
    return content === message.content ? message : { ...message, content };
  });
  const stop = (["hand_off", "block"] as const).find((action) => actions.has(action));
  return { messages: guarded, hits, ...stop && { stop } };
}
