/**
 * The script behind `widget.v1.js`: the launcher, which loads the panel when it is needed. The order
 * of imports is the order in the bundle: non-Latin letters come last, where they compress best.
 */
import { activate } from "./activate.ts";
import { findScript } from "./find_script.ts";
import { LAUNCHER_LANGUAGES } from "./launcher_languages.ts";

// `document.currentScript` is set only while the script runs for the first time.
const script = findScript(document.currentScript);
if (script) activate(script, LAUNCHER_LANGUAGES);
