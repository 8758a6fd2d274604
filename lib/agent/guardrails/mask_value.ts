import { asMasks, type TextRule } from "./guardrail_rules.ts";
import { guardText } from "./text_guard.ts";

/** Shorter numbers are neither a card nor a phone number. */
const MIN_NUMBER_LENGTH = 8;

/** Masks the texts of a JSON value, and its keys and numbers; arguments and results of tools. */
export function maskValue(
  value: unknown,
  { rules, onMatch }: { rules: readonly TextRule[]; onMatch?: (rule: TextRule) => void },
): unknown {
  const options = { rules: asMasks(rules), ...onMatch && { onMatch } };
  const maskText = (text: string) => text === "" ? text : guardText(text, options);
  const mask = (one: unknown): unknown => {
    if (typeof one === "string") return maskText(one);
    if (typeof one === "number") {
      const text = String(one);
      const masked = text.length < MIN_NUMBER_LENGTH ? text : maskText(text);
      return masked === text ? one : masked;
    }
    if (Array.isArray(one)) return one.map(mask);
    if (typeof one !== "object" || one === null) return one;
    return Object.fromEntries(
      Object.entries(one).map(([key, item]) => [maskText(key), mask(item)]),
    );
  };
  return mask(value);
}
