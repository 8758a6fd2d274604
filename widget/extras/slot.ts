/** The places of the panel in which the extras render. */
import type { ComponentChildren } from "preact";
import type { TranscriptMessage } from "../state.ts";

/** Below a message that is complete. All are inlined by the bundler. */
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
