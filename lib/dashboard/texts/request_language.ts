import { AsyncLocalStorage } from "node:async_hooks";
import { getCookies, setCookie } from "@std/http";
import german from "./german.json" with { type: "json" };
import { type Language, LANGUAGES, setTextSource, type TextSource } from "./translate.ts";

const COOKIE = "language";
const MAX_AGE_S = 365 * 24 * 3600;

const languages = new AsyncLocalStorage<Language>();
const pages: Readonly<Record<string, string>> = german.pages;
const messages: Readonly<Record<string, string>> = german.messages;
const scripts: Readonly<Record<string, string>> = german.scripts;

/** The German texts, for requests in German. */
export const germanTexts: TextSource = {
  language: () => languages.getStore() ?? "en",
  find(english) {
    if (languages.getStore() !== "de") return undefined;
    if (Object.hasOwn(scripts, english)) return scripts[english];
    if (Object.hasOwn(pages, english)) return pages[english];
    return Object.hasOwn(messages, english) ? messages[english] : undefined;
  },
};
setTextSource(germanTexts);

/** Runs `work` with the texts of a language. */
export function withLanguage<T>(language: Language, work: () => T): T {
  return languages.run(language, work);
}

/** The texts that the page's scripts need; `undefined` for English. */
export function scriptTexts(): Readonly<Record<string, string>> | undefined {
  return languages.getStore() === "de" ? scripts : undefined;
}

/** What a user has chosen, else the browser's first language that there is. */
export function readLanguage(headers: Headers): Language {
  return chosenLanguage(headers) ?? acceptedLanguage(headers.get("accept-language") ?? "");
}

/** Remembers a language for a year. */
export function setLanguage(headers: Headers, language: Language): void {
  setCookie(headers, {
    name: COOKIE,
    value: language,
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    maxAge: MAX_AGE_S,
  });
}

export function parseLanguage(text: string | null | undefined): Language | undefined {
  return LANGUAGES.find((language) => language === text);
}

function chosenLanguage(headers: Headers): Language | undefined {
  try {
    return parseLanguage(getCookies(headers)[COOKIE]);
  } catch {
    return undefined; // The Cookie header is malformed.
  }
}

/** By quality; English if none is known. */
function acceptedLanguage(header: string): Language {
  const ranked = header.split(",").map((part) => {
    const [tag = "", ...rest] = part.trim().split(";");
    const quality = Number(/^\s*q=([\d.]+)/.exec(rest[0] ?? "")?.[1] ?? 1);
    return { language: tag.toLowerCase().split("-")[0], quality };
  }).filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
  for (const { language } of ranked) {
    const known = parseLanguage(language);
    if (known !== undefined) return known;
  }
  return "en";
}
