import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { HANDOFF_BOUNDS as B, type HandoffSettings, WEEKDAYS } from "../../schemas/handoff.ts";
import { msg, t } from "../texts/translate.ts";

/** The fields of the page, as text; a blank one is unset. */
export const HANDOFF_FIELDS = {
  enabled: msg("Hand-off"),
  by: msg("Who may ask for a person?"),
  message: msg("Message to the visitor"),
  answerWithinMinutes: msg("Answer within, in minutes"),
  form: msg("When nobody is there"),
  timeZone: msg("Time zone"),
  mon: msg("Monday"),
  tue: msg("Tuesday"),
  wed: msg("Wednesday"),
  thu: msg("Thursday"),
  fri: msg("Friday"),
  sat: msg("Saturday"),
  sun: msg("Sunday"),
} as const;
export type HandoffField = keyof typeof HANDOFF_FIELDS;
export type HandoffValues = Record<HandoffField, string>;
export type HandoffIssues = Partial<Record<HandoffField | "failure", string>>;

const NAMES = Object.keys(HANDOFF_FIELDS) as HandoffField[];

/** Checkboxes are `on` or blank; `by` lists its values, separated by a comma. */
export function toHandoffValues(settings: HandoffSettings | undefined): HandoffValues {
  const { enabled = false, by = ["model", "visitor"], message = "", form = false } = settings ?? {};
  const week = settings?.businessHours?.week ?? [];
  const days = WEEKDAYS.map((day) => {
    const intervals = week.filter((one) => one.day === day);
    return [day, intervals.map(({ from, to }) => `${from}-${to}`).join(", ")];
  });
  return {
    ...Object.fromEntries(days),
    ...{ enabled: enabled ? "on" : "", by: by.join(","), message, form: form ? "on" : "" },
    answerWithinMinutes: String(settings?.answerWithinMinutes ?? ""),
    timeZone: settings?.businessHours?.timeZone ?? "",
  } as HandoffValues;
}

/** Fields that the form lacks are blank. */
export function readHandoffValues(form: URLSearchParams): HandoffValues {
  const entries = NAMES.map((name) => [name, form.getAll(name).join(",").trim()]);
  return Object.fromEntries(entries) as HandoffValues;
}

/** Unparsed: it is checked when it is saved. `null` if nothing is set, which removes the setting. */
export function toHandoff(values: HandoffValues): Record<string, unknown> | null {
  const { enabled, by, message, answerWithinMinutes: minutes, form, timeZone } = values;
  const week = WEEKDAYS.flatMap((day) => toIntervals(day, values[day]));
  const hasHours = timeZone !== "" || week.length > 0;
  if (enabled === "" && message === "" && !hasHours) return null;
  return {
    enabled: enabled !== "",
    by: by.split(",").filter((one) => one !== ""),
    message,
    ...hasHours && { businessHours: { timeZone, week } },
    ...minutes !== "" && { answerWithinMinutes: Number(minutes) },
    ...form !== "" && { form: true },
  };
}

/** `9:00-12:30, 13:30-18:00` as intervals; what is none of them is left for the schema to reject. */
function toIntervals(day: string, text: string): { day: string; from: string; to: string }[] {
  const parts = text.split(/[,;]/).map((part) => part.trim()).filter((part) => part !== "");
  return parts.map((part) => {
    const [from = "", to = ""] = part.split(/\s*[-–]\s*/);
    return { day, from: toTime(from), to: toTime(to) };
  });
}

/** `9:00` as `09:00`. */
function toTime(text: string): string {
  return /^\d:\d\d$/.test(text) ? `0${text}` : text;
}

/** Messages by field for what is invalid. */
export function toHandoffIssues(
  issues: readonly ValidationIssue[],
  values: HandoffValues,
): HandoffIssues {
  const week = WEEKDAYS.flatMap((day) => toIntervals(day, values[day]));
  const messages: HandoffIssues = {};
  for (const { path, code } of issues) {
    const field = fieldOf(path, week);
    messages[field] ??= hintOf(field, code);
  }
  return messages;
}

function fieldOf(path: string, week: readonly { day: string }[]): HandoffField {
  const [root, name, list, n] = path.split(".");
  // Another part of the agent, such as a tool of the same name.
  if (root !== "handoff") return "by";
  if (name === "businessHours") {
    const day = list === "week" ? week[Number(n ?? 0)]?.day : undefined;
    return NAMES.find((known) => known === day) ?? (list === "week" ? "mon" : "timeZone");
  }
  return NAMES.find((known) => known === name) ?? "enabled";
}

/** How to mend a field. */
function hintOf(field: HandoffField, code: string): string {
  switch (field) {
    case "message":
      return t("Enter 1 to {max} characters.", { max: B.message });
    case "answerWithinMinutes":
      return t("Enter a whole number from 1 to {max}, or leave it blank.", {
        max: B.answerWithinMinutes,
      });
    case "timeZone":
      return t("Enter a time zone such as Europe/Berlin.");
    case "by":
      return code === "reserved_name"
        ? t("A tool of this agent has the name hand_off. Rename it first.")
        : t("Choose at least one.");
    case "enabled":
      if (code === "agent_keeps_nothing") {
        return t("This agent keeps no conversations, which hand-off needs. See its Model page.");
      }
      return t("Your plan stores no conversations, which hand-off needs.");
    case "form":
      return t("This value is not valid.");
    default:
      return t("Enter times such as 09:00-12:30, 13:30-18:00, which do not overlap.");
  }
}
