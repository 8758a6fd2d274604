/** The script behind `widget.v1.js`. The order of the imports is the order of the bundle. */
import { activate } from "./activate.ts";
import { findScript } from "./find_script.ts";
import { LANGUAGES } from "./languages.ts";

/** The style sheet, put in by the bundler. */
declare const WIDGET_CSS: string;

/** `document.currentScript` is only there while the script runs for the first time. */
const script = findScript(document.currentScript);
if (script) activate(script, { languages: LANGUAGES, css: WIDGET_CSS });
