/** What the panel and the extras, which are two files, give to each other. */
import type { h } from "preact";
import type { Ui } from "../ui.ts";
import type { Slot } from "./slot.ts";

export interface ExtrasHost {
  /** The panel's, which draws both files' components. */
  readonly h: typeof h;
  readonly ui: Ui;
  /** Receives the style sheet of the extras. */
  readonly root: ShadowRoot;
  /** Draws a change of the state, and with `true` stores it for reloads. */
  readonly changed: (save: boolean) => void;
}

/** Calls `ready` once the texts are there. */
export type StartExtras = (host: ExtrasHost, ready: (slot: Slot) => void) => void;
