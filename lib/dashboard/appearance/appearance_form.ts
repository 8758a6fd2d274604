import type { Appearance } from "../../schemas/appearance.ts";
import { APPEARANCE_BOUNDS as B } from "../../schemas/limits.ts";
import type { ValidationIssue } from "../../schemas/error_codes.ts";

/** The fields of the page, as text; a blank one is unset. */
export const APPEARANCE_FIELDS = {
  title: "Title",
  avatar: "Avatar",
  accent: "Color",
  theme: "Theme",
  position: "Position",
  greeting: "Greeting",
  suggestions: "Suggested questions",
  lang: "Language",
  privacyText: "Privacy line",
  privacyUrl: "Privacy link",
} as const;
export type AppearanceField = keyof typeof APPEARANCE_FIELDS;
export type AppearanceValues = Record<AppearanceField, string>;
export type AppearanceIssues = Partial<Record<AppearanceField | "form", string>>;

const NAMES = Object.keys(APPEARANCE_FIELDS) as AppearanceField[];

const HINTS: Record<AppearanceField, string> = {
  title: `Enter at most ${B.title} characters.`,
  avatar: "Enter one letter or emoji, or choose a smaller PNG, JPEG or WebP image.",
  accent: "Enter a color such as #0d6e63.",
  theme: "Choose a theme.",
  position: "Choose a side.",
  greeting: `Enter at most ${B.greeting} characters.`,
  suggestions:
    `Enter at most ${B.suggestions} questions of ${B.suggestionLength} characters, without “|”.`,
  lang: "Choose a language.",
  privacyText: `Enter at most ${B.privacyText} characters.`,
  privacyUrl: "Enter an address that starts with https://.",
};

export function toAppearanceValues(appearance: Appearance = {}): AppearanceValues {
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
    else messages[field] = HINTS[field];
  }
  return messages;
}
