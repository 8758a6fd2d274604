import german from "./german.json" with { type: "json" };
import { currentLanguage, perLanguage, t } from "./translate.ts";

/**
 * A message of the service in the page's language. Such messages are English, because they are part of
 * the API; values in them, such as a name or a number, stay as they are. Messages that are not in the
 * catalogue are returned unchanged.
 */
export function translateMessage(message: string): string {
  if (currentLanguage() === "en") return message;
  const [, path = "", rest = message] = /^([\w.-]+: )(.*)$/s.exec(message) ?? [];
  return `${path}${translateSentence(rest)}`;
}

/** Messages of form fields, each translated. */
export function translateMessages<T extends Readonly<Record<string, string>>>(messages: T): T {
  return Object.fromEntries(
    Object.entries(messages).map(([name, message]) => [name, translateMessage(message)]),
  ) as T;
}

function translateSentence(message: string): string {
  if (Object.hasOwn(german.messages, message)) return t(message);
  for (const [english, pattern] of patterns()) {
    const found = pattern.exec(message);
    if (found !== null) return t(english, found.groups);
  }
  return message;
}

/** The messages with values; the one with the most words of its own comes first. */
const patterns = perLanguage(() =>
  Object.keys(german.messages).filter((english) => english.includes("{"))
    .sort((a, b) => b.length - a.length)
    .map((english) => [english, toPattern(english)] as const)
);

function toPattern(english: string): RegExp {
  // Every second part is the name of a placeholder.
  const parts = english.split(/\{(\w+)\}/).map((part, n) =>
    n % 2 === 1 ? `(?<${part}>.+?)` : RegExp.escape(part)
  );
  return new RegExp(`^${parts.join("")}$`, "s");
}
