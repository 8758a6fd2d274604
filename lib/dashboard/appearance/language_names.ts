import { WIDGET_LANGUAGES } from "../../schemas/widget_languages.ts";

/** The widget's languages, each by its own name. */
export const LANGUAGE_NAMES: readonly (readonly [tag: string, name: string])[] = WIDGET_LANGUAGES
  .map((tag) => {
    const name = new Intl.DisplayNames(tag, { type: "language" }).of(tag) ?? tag;
    return [tag, name[0]!.toLocaleUpperCase(tag) + name.slice(1)] as const;
  });
