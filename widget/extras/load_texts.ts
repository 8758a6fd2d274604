/** The texts of the extras in the visitor's language, loaded from the service. */
import type { Ui } from "../ui.ts";
import { textOf } from "./text_ids.ts";

/** Defined by the bundler. */
declare const EXTRAS_ENGLISH: string;
declare const TEXTS_FILE: string;

export interface Texts {
  /** A text by its id, in the language of the widget; English until that language is there. */
  readonly t: (id: number) => string;
  /** Settles once the widget's language is there, or cannot be loaded. */
  readonly ready: Promise<void>;
}

/** `loaded` is called when another language has arrived. */
export function loadTexts(
  ui: Pick<Ui, "config" | "locale">,
  { fetcher, loaded }: { readonly fetcher: typeof fetch; readonly loaded: () => void },
): Texts {
  const english = EXTRAS_ENGLISH;
  const known: Record<string, string> = { en: english };
  const load = async (lang: string) => {
    known[lang] = english;
    const url = `${ui.config.apiBase}/${TEXTS_FILE}?lang=${lang}`;
    const texts = await fetcher(url, { credentials: "omit" }).then((response) => response.json());
    known[lang] = `${texts[lang]}`;
    loaded();
  };
  const find = () => {
    const { lang } = ui.locale;
    return known[lang] ? undefined : load(lang).catch(() => {});
  };
  const ready = Promise.resolve(find());
  return {
    ready,
    t(id) {
      find();
      return textOf(known[ui.locale.lang]!, id);
    },
  };
}
