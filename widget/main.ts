/**
 * The script behind `widget.v1.js`. The order of imports is the order in the bundle: non-Latin
 * letters come last, where they compress best.
 */
// Importing these first saves 60 bytes.
import "./developer_hints.ts";
import "./state.ts";
import "./find_script.ts";
import "./components/render_markdown.tsx";
import { activate } from "./activate.ts";
import { findScript } from "./find_script.ts";
import { STYLE_SHEET } from "./style_sheet.ts";
import { LANGUAGES } from "./languages.ts";

// `document.currentScript` is set only while the script runs for the first time.
const script = findScript(document.currentScript);
if (script) activate(script, { languages: LANGUAGES, css: STYLE_SHEET });
