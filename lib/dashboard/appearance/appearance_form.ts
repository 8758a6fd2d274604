import type { Appearance } from "../../schemas/appearance.ts";
import { APPEARANCE_BOUNDS as B } from "../../schemas/limits.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";
import { msg, t } from "../texts/translate.ts";

/** The fields of the page, as text; a blank one is unset. */
export const APPEARANCE_FIELDS = {
  title: msg("Title"),
  avatar: msg("Avatar"),
  logo: msg("Logo"),
  accent: msg("Color"),
  theme: msg("Theme"),
  position: msg("Position"),
  feedback: msg("Ratings"),
  history: msg("Earlier conversations"),
  voice: msg("Voice"),
  sound: msg("Sound"),
  wide: msg("Wide panel"),
  limits: msg("Remaining messages"),
  greeting: msg("Greeting"),
  suggestions: msg("Suggested questions"),
  lang: msg("Language"),
  privacyText: msg("Privacy notice"),
  privacyUrl: msg("Privacy link"),
} as const;
export type AppearanceField = keyof typeof APPEARANCE_FIELDS;
export type AppearanceValues = Record<AppearanceField, string>;
export type AppearanceIssues = Partial<Record<AppearanceField | "form", string>>;

const NAMES = Object.keys(APPEARANCE_FIELDS) as AppearanceField[];

/** How to mend a field. */
function hintOf(field: AppearanceField): string {
  switch (field) {
    case "title":
    case "greeting":
    case "privacyText":
      return t("Enter at most {max} characters.", { max: B[field] });
    case "avatar":
      return t("Enter one letter or emoji, or choose a smaller PNG, JPEG or WebP image.");
    case "logo":
      return t("Choose a smaller PNG, JPEG or WebP image.");
    case "accent":
      return t("Enter a color such as #0d6e63.");
    case "theme":
      return t("Choose a theme.");
    case "position":
      return t("Choose a position.");
    case "feedback":
    case "history":
    case "voice":
    case "sound":
    case "wide":
    case "limits":
      return t("Choose on or off.");
    case "suggestions":
      return t("Enter at most {count} questions of up to {max} characters each, without “|”.", {
        count: B.suggestions,
        max: B.suggestionLength,
      });
    case "lang":
      return t("Choose a language.");
    case "privacyUrl":
      return t("Enter an address that starts with https://.");
    default:
      return field satisfies never;
  }
}

/** An appearance, stored or not yet checked. */
export type ShownAppearance = Appearance | Partial<Record<AppearanceField, unknown>>;

export function toAppearanceValues(appearance: ShownAppearance = {}): AppearanceValues {
  const entries = NAMES.map((name) => [name, [appearance[name] ?? ""].flat().join("\n")]);
  return Object.fromEntries(entries) as AppearanceValues;
}

/** Fields that the form lacks are blank. */
export function readAppearanceValues(form: URLSearchParams): AppearanceValues {
  const entries = NAMES.map((name) => [name, (form.get(name) ?? "").trim()]);
  return Object.fromEntries(entries) as AppearanceValues;
}

/** Unparsed: it is checked when it is saved. */
export function toAppearance(values: AppearanceValues): Record<string, unknown> {
  const { suggestions, ...texts } = values;
  const lines = suggestions.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const set = Object.entries(texts).filter(([, value]) => value !== "");
  return { ...Object.fromEntries(set), ...lines.length > 0 && { suggestions: lines } };
}

/** Messages by field for what is invalid. */
export function toAppearanceIssues(issues: readonly ValidationIssue[]): AppearanceIssues {
  const messages: AppearanceIssues = {};
  for (const { path, message } of issues) {
    const name = path.split(".")[1];
    const field = NAMES.find((known) => known === name);
    if (field === undefined) messages.form ??= message;
    else messages[field] = hintOf(field);
  }
  return messages;
}
