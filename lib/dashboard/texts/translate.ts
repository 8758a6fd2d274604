import type { ComponentChildren } from "preact";

/** Languages of the dashboard. English is the language of the source. */
export const LANGUAGES = ["en", "de"] as const;
export type Language = typeof LANGUAGES[number];

/** What the texts of a page are in. */
export interface TextSource {
  language(): Language;
  /** `undefined` if there is no translation. */
  find(english: string): string | undefined;
}

let source: TextSource = typeof document === "undefined"
  ? { language: () => "en", find: () => undefined }
  : pageTexts();

/** Sets where texts come from. The server has one language per request. */
export function setTextSource(next: TextSource): void {
  source = next;
}

/** The language of the page. */
export function currentLanguage(): Language {
  return source.language();
}

/** Marks a text that is defined once, such as a label, and translated by `t` where it is shown. */
export function msg(english: string): string {
  return english;
}

/** A text in the page's language, with values for its placeholders such as `{name}`. */
export function translate(
  english: string,
  values?: Readonly<Record<string, string | number>>,
): string {
  const found = translated(english);
  if (values === undefined) return found;
  return found.replace(
    PLACEHOLDER,
    (whole, name) => Object.hasOwn(values, name) ? `${values[name]}` : whole,
  );
}

/** Short, because every text of the dashboard is in it. */
export const t = translate;

/** Like `t`, with elements for placeholders. */
export function rich(
  english: string,
  values: Readonly<Record<string, ComponentChildren>>,
): ComponentChildren[] {
  // Every second part is the name of a placeholder.
  return translated(english).split(PLACEHOLDER).map((part, n) => n % 2 === 1 ? values[part] : part);
}

/** One value for each language, such as a number format, created when it is first used. */
export function perLanguage<T>(create: (language: Language) => T): () => T {
  const created = new Map<Language, T>();
  return () => {
    const language = currentLanguage();
    if (!created.has(language)) created.set(language, create(language));
    return created.get(language)!;
  };
}

const PLACEHOLDER = /\{(\w+)\}/g;

function translated(english: string): string {
  return source.find(english) ?? english;
}

/** The texts that the server has put into the page for its scripts. */
function pageTexts(): TextSource {
  let texts: Record<string, string> | undefined;
  const load = (): Record<string, string> => {
    const meta = document.querySelector<HTMLMetaElement>("meta[name=texts]");
    return JSON.parse(meta?.content ?? "{}");
  };
  return {
    language: () => LANGUAGES.find((one) => one === document.documentElement.lang) ?? "en",
    find(english) {
      texts ??= load();
      return Object.hasOwn(texts, english) ? texts[english] : undefined;
    },
  };
}
