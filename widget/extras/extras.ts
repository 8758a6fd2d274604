/**
 * The file behind `widget-extras.v1.<hash>.js`: what a chat works without. The panel loads it on its
 * first use, and hands its Preact over.
 */
import { offer } from "../file_exports.ts";
import { startExtras } from "./start_extras.tsx";

offer("widget-extras", startExtras);
