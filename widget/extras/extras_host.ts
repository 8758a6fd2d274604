/** What the panel and the extras, which are two files, give to each other. */
import type { ComponentChildren, h } from "preact";
import type { TranscriptMessage } from "../state.ts";
import type { Ui } from "../ui.ts";

export interface ExtrasHost {
  /** The panel's: one copy of Preact renders both files' components. */
  readonly h: typeof h;
  readonly ui: Ui;
  /** Receives the style sheet of the extras. */
  readonly root: ShadowRoot;
  /** Draws a change of the state, and with `true` stores it for reloads. */
  readonly changed: (save: boolean) => void;
}

/** Where the extras render, inlined by the bundler: below a message that is complete. */
export const BELOW = 0;
/** At the end of the messages. */
export const END = 1;
/** Over the messages, as the menu and lists. */
export const OVER = 2;
/** Above the field. */
export const ABOVE_FIELD = 3;
/** Below the field. */
export const FOOTNOTE = 4;
/** What the visitor asks for, where nothing is rendered, from here on: to open or close the menu. */
export const MENU = 5;
/** To attach the files that were pasted or dropped; none of them while they are held over the panel. */
export const FILES = 6;

export type Place = 0 | 1 | 2 | 3 | 4 | 5 | 6;
export type SlotValue = TranscriptMessage | readonly File[];

/**
 * Renders what the extras have for a place, or does what the visitor asks for. The value is a message
 * for `BELOW`, and files for `FILES`.
 */
export type Slot = (place: Place, value?: SlotValue) => ComponentChildren;

/** Calls `ready` once the texts are there. */
export type StartExtras = (host: ExtrasHost, ready: (slot: Slot) => void) => void;
