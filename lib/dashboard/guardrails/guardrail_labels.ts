import {
  type GuardrailAction,
  type GuardrailHit,
  type GuardrailRule,
  type PersonalDataKind,
} from "../../schemas/guardrails.ts";
import { plural } from "../format_amount.ts";
import { msg, t } from "../texts/translate.ts";

export const PERSONAL_DATA_LABELS: Readonly<Record<PersonalDataKind, string>> = {
  card: msg("Payment card numbers"),
  iban: msg("IBANs"),
  email: msg("E-mail addresses"),
  phone: msg("Phone numbers"),
};

export const ACTION_LABELS: Readonly<Record<GuardrailAction, string>> = {
  mask: msg("Replace it"),
  block: msg("End the answer with the message"),
  hand_off: msg("Hand off to a person"),
};

export const RULE_LABELS: Readonly<Record<GuardrailRule, string>> = {
  ...PERSONAL_DATA_LABELS,
  deny_words: msg("Words and phrases"),
  classifier: msg("Classifier"),
};

/** What a guardrail did in a run, in words. */
export function describeHit({ side, rule, action, count, unavailable }: GuardrailHit): string {
  const where = side === "input" ? t("in the message") : t("in the answer");
  const times = plural(count, "once", "{count} times");
  return t("{rule} {where}: {action}, {times}", {
    rule: t(RULE_LABELS[rule]),
    where,
    action: unavailable ? unavailableText(action) : t(DONE_LABELS[action]),
    times,
  });
}

const DONE_LABELS: Readonly<Record<GuardrailHit["action"], string>> = {
  mask: msg("replaced"),
  block: msg("blocked"),
  hand_off: msg("handed off"),
  allow: msg("let pass"),
};

function unavailableText(action: GuardrailHit["action"]): string {
  return action === "allow"
    ? t("could not be checked, let pass")
    : t("could not be checked, not let pass");
}
