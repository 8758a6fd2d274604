/**
 * The file behind `widget-panel.v1.<hash>.js`: the conversation and all that it shows. The order of
 * imports is the order in the bundle: non-Latin letters come last, where they compress best.
 */
// Importing these first saves 60 bytes.
import "./developer_hints.ts";
import "./state.ts";
import "./components/render_markdown.tsx";
import { offer } from "./file_exports.ts";
import type { StartPanel } from "./panel_host.ts";
import { startPanel } from "./start_panel.ts";
import { PANEL_LANGUAGES } from "./panel_languages.ts";

const start: StartPanel = (host) => startPanel(host, PANEL_LANGUAGES);
offer("widget-panel", start);
