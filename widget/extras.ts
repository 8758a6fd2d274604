/**
 * The file behind `widget-extras.v1.<hash>.js`: what a chat works without. The panel loads it for the
 * first finished answer that a visitor sees, and hands its Preact over.
 */
import { offer } from "./file_exports.ts";
import type { StartExtras } from "./extras_host.ts";
import { startExtras } from "./start_extras.tsx";
import { FEEDBACK_LANGUAGES } from "./feedback_languages.ts";

const start: StartExtras = (host) => startExtras(host, FEEDBACK_LANGUAGES);
offer("widget-extras", start);
