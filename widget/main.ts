/**
 * The script behind `widget.v1.js`. The order of the imports is the order of the bundle, in which the
 * letters of other alphabets come last: there they cost the fewest bytes.
 */
// 60 bytes less than where they are first asked for:
import "./developer_hints.ts";
import "./state.ts";
import "./components/render_markdown.tsx";
import { activate } from "./activate.ts";
import { findScript } from "./find_script.ts";
import { STYLE_SHEET } from "./style_sheet.ts";
import { LANGUAGES } from "./languages.ts";

/** `document.currentScript` is only there while the script runs for the first time. */
const script = findScript(document.currentScript);
if (script) activate(script, { languages: LANGUAGES, css: STYLE_SHEET });
