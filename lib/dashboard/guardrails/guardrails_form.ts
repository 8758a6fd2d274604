import type { ValidationIssue } from "../../schemas/error_codes.ts";
import {
  GUARDRAIL_SIDES,
  type Guardrails,
  type GuardrailSide,
  type SideGuardrails,
} from "../../schemas/guardrails.ts";
import { GUARDRAIL_BOUNDS as B } from "../../schemas/limits.ts";
import { formatCount } from "../format_amount.ts";
import { toLines } from "../agents/agent_form.ts";
import { msg, t } from "../texts/translate.ts";

/** The fields of one side, as text; a blank one is unset. */
export const SIDE_FIELDS = {
  words: msg("Words and phrases"),
  wordsAction: msg("What happens to a word"),
  kinds: msg("Personal data"),
  kindsAction: msg("What happens to personal data"),
  model: msg("Classifier"),
  policy: msg("What is not allowed"),
  modelAction: msg("What happens to what is not allowed"),
  failClosed: msg("When the classifier fails"),
  message: msg("Message to the visitor"),
} as const;
export type SideField = keyof typeof SIDE_FIELDS;
export type GuardrailField = `${GuardrailSide}.${SideField}`;

export const SIDE_LABELS: Readonly<Record<GuardrailSide, string>> = {
  input: msg("Messages to the agent"),
  output: msg("Answers of the agent"),
};

const NAMES = Object.keys(SIDE_FIELDS) as SideField[];
export const GUARDRAIL_FIELDS = GUARDRAIL_SIDES.flatMap((side) =>
  NAMES.map((name): GuardrailField => `${side}.${name}`)
);
export type GuardrailValues = Record<GuardrailField, string>;
export type GuardrailIssues = Partial<Record<GuardrailField | "failure", string>>;

/** Words are lines, `kinds` is separated by commas, checkboxes are `on` or blank. */
export function toGuardrailValues(settings: Guardrails | undefined): GuardrailValues {
  const values = GUARDRAIL_SIDES.flatMap((side) =>
    Object.entries(toSideValues(settings?.[side])).map((
      [name, value],
    ) => [`${side}.${name}`, value])
  );
  return Object.fromEntries(values);
}

function toSideValues(
  { denyWords, personalData, classifier, message = "" }: SideGuardrails = {},
): Record<SideField, string> {
  return {
    words: denyWords?.words.join("\n") ?? "",
    wordsAction: denyWords?.action ?? "mask",
    kinds: personalData?.kinds.join(",") ?? "",
    kindsAction: personalData?.action ?? "mask",
    model: classifier === undefined ? "" : `${classifier.provider}/${classifier.model}`,
    policy: classifier?.policy ?? "",
    modelAction: classifier?.action ?? "block",
    failClosed: classifier?.failClosed ? "on" : "",
    message,
  };
}

/** Fields that the form lacks are blank. */
export function readGuardrailValues(form: URLSearchParams): GuardrailValues {
  const values = GUARDRAIL_FIELDS.map((name) => [name, form.getAll(name).join(",").trim()]);
  return Object.fromEntries(values);
}

/** Unparsed: it is checked when it is saved. `null` if nothing is set, which removes the setting. */
export function toGuardrails(values: GuardrailValues): Record<string, unknown> | null {
  const sides = GUARDRAIL_SIDES.flatMap((side) => {
    const settings = toSide((name) => values[`${side}.${name}`]);
    return settings === undefined ? [] : [[side, settings]];
  });
  return sides.length === 0 ? null : Object.fromEntries(sides);
}

/** A message alone does nothing, and is dropped with the last rule. */
function toSide(get: (name: SideField) => string): Record<string, unknown> | undefined {
  const [words, kinds, message] = [toLines(get("words")), get("kinds"), get("message")];
  const [model, policy] = [get("model"), get("policy")];
  if (words.length === 0 && kinds === "" && model === "" && policy === "") return undefined;
  const slash = model.indexOf("/");
  return {
    ...words.length > 0 && { denyWords: { words, action: get("wordsAction") } },
    ...kinds !== "" && { personalData: { kinds: kinds.split(","), action: get("kindsAction") } },
    ...(model !== "" || policy !== "") && {
      classifier: {
        provider: model.slice(0, Math.max(0, slash)),
        model: model.slice(slash + 1),
        policy,
        action: get("modelAction"),
        ...get("failClosed") !== "" && { failClosed: true },
      },
    },
    ...message !== "" && { message },
  };
}

const FIELD_OF_PATH: Readonly<Record<string, SideField>> = {
  "denyWords.words": "words",
  "denyWords.action": "wordsAction",
  "personalData.kinds": "kinds",
  "personalData.action": "kindsAction",
  "classifier.provider": "model",
  "classifier.model": "model",
  "classifier.policy": "policy",
  "classifier.action": "modelAction",
  "classifier.failClosed": "failClosed",
  message: "message",
};

/** Messages by field for what is invalid. */
export function toGuardrailIssues(issues: readonly ValidationIssue[]): GuardrailIssues {
  const messages: GuardrailIssues = {};
  for (const { path, message } of issues) {
    const [root, side, ...rest] = path.split(".");
    const field = FIELD_OF_PATH[rest.slice(0, 2).join(".")];
    if (root === "guardrails" && field !== undefined) {
      messages[`${side as GuardrailSide}.${field}`] ??= hintOf(field);
    } else {
      messages.failure ??= path === "guardrails"
        ? t("To hand off, the agent must be allowed to ask for a person. See its Hand-off page.")
        : `${path}: ${message}.`;
    }
  }
  return messages;
}

/** How to mend a field. */
function hintOf(field: SideField): string {
  switch (field) {
    case "words":
      return t(
        "Enter at most {words} lines of 1 to {length} characters, each with a letter or a digit.",
        {
          words: B.words,
          length: B.wordLength,
        },
      );
    case "model":
      return t("Choose a model that your plan includes.");
    case "policy":
      return t("Enter 1 to {max} characters.", { max: formatCount(B.policy) });
    case "message":
      return t("Enter 1 to {max} characters.", { max: B.message });
    default:
      return t("This value is not valid.");
  }
}
