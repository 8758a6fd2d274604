/** What the panel and the extras, which are two files, give to each other. */
import type { h } from "preact";
import type { Ui } from "../ui.ts";
import type { Slot } from "./slot.ts";

export interface ExtrasHost {
  /** The panel's, which draws both files' components. */
  readonly h: typeof h;
  readonly ui: Ui;
  /** Signs the calls of a session if the tag says so. */
  readonly fetcher: typeof fetch;
  /** Receives the style sheet of the extras. */
  readonly root: ShadowRoot;
  /** Draws a change of the state, and with `true` stores it for reloads. */
  readonly changed: (save: boolean) => void;
}

/** What the file of the extras offers to the panel. */
export interface Extras {
  /** Calls `ready` once the texts are there, or `failed` if they cannot be loaded. */
  readonly start: (host: ExtrasHost, ready: (slot: Slot) => void, failed: () => void) => void;
  /** Signs the calls of a session. */
  readonly boundFetch: (fetcher: typeof fetch) => typeof fetch;
}
