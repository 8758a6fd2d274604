/** All of the widget's texts, for those who have both of its files. */
import { LAUNCHER_LANGUAGES } from "./launcher_languages.ts";
import { joinLanguages, type Languages } from "./locales.ts";
import { PANEL_LANGUAGES } from "./panel_languages.ts";

export const LANGUAGES: Languages = joinLanguages(LAUNCHER_LANGUAGES, PANEL_LANGUAGES);
