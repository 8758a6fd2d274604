/** Finds the strings of a language. */

export interface Locale {
  /** A primary language tag. */
  readonly lang: string;
  readonly dir: "ltr" | "rtl";
  /** The string of a number of say.ts. */
  readonly t: (say: number) => string;
}

/** A line of strings for each primary language tag; "en" is one of them. */
export type Languages = Readonly<Record<string, string>>;

/** The strings for a BCP 47 tag; English where there are none. */
export function findLocale(tag: string, languages: Languages): Locale {
  const primary = tag.toLowerCase().split(/[-_]/)[0]!;
  const lang = Object.hasOwn(languages, primary) ? primary : "en";
  const words = languages[lang]!.split("|");
  return { lang, dir: lang === "ar" ? "rtl" : "ltr", t: (say) => words[say]! };
}
