/** Finds the strings of a language. */

export interface Locale {
  /** A primary language tag. */
  readonly lang: string;
  readonly dir: "ltr" | "rtl";
  /** The text of a string id, from string_ids.ts. */
  readonly t: (stringId: number) => string;
}

/** One line of strings per primary language tag, "en" included. */
export type Languages = Readonly<Record<string, string>>;

/** The strings for a BCP 47 tag, or English if there are none. */
export function findLocale(tag: string, languages: Languages): Locale {
  const primary = tag.toLowerCase().split(/[-_]/)[0]!;
  const lang = Object.hasOwn(languages, primary) ? primary : "en";
  const strings = languages[lang]!.split("|");
  return { lang, dir: lang === "ar" ? "rtl" : "ltr", t: (stringId) => strings[stringId]! };
}

/** The first file's strings, then the second's. */
export function joinLanguages(first: Languages, second: Languages): Languages {
  const lines = Object.keys(first).map((lang) => [lang, `${first[lang]}|${second[lang]}`]);
  return Object.fromEntries(lines);
}
