/**
 * The file behind `widget-extras.v1.<hash>.js`: what a chat works without. The panel loads it on its
 * first use, and hands its renderer over.
 */
import { offer } from "../file_exports.ts";
import { boundFetch } from "../client/bound_fetch.ts";
import type { Extras } from "./extras_host.ts";
import { startExtras as start } from "./start_extras.tsx";

const extras: Extras = { start, boundFetch };
offer("widget-extras", extras);
