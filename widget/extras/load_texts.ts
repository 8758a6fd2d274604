/** The texts of the extras in the visitor's language, loaded from the service. */
import type { Ui } from "../ui.ts";
import { textOf } from "./text_ids.ts";

/** Defined by the bundler. */
declare const TEXTS_FILE: string;

export interface Texts {
  /** A text by its id; after a change of language, the earlier one's until the new one is there. */
  readonly t: (id: number) => string;
  /** Resolves once the widget's language is there; rejects if it cannot be loaded. */
  readonly ready: Promise<void>;
}

/** `loaded` is called when another language has arrived. */
export function loadTexts(
  ui: Pick<Ui, "config" | "locale">,
  { fetcher, loaded }: { readonly fetcher: typeof fetch; readonly loaded: () => void },
): Texts {
  let text = "";
  let lang = "";
  const load = async () => {
    const wanted = lang = ui.locale.lang;
    const url = `${ui.config.apiBase}/${TEXTS_FILE}?lang=${wanted}`;
    const texts = await fetcher(url, { credentials: "omit" }).then((response) => response.json());
    // It may have changed again.
    if (lang !== wanted) return;
    text = texts[lang];
    loaded();
  };
  return {
    ready: load(),
    t(id) {
      if (lang !== ui.locale.lang) load().catch(() => {});
      return textOf(text, id);
    },
  };
}
