/** What the panel and the extras, which are two files, give to each other. */
import type { ComponentChildren, h } from "preact";
import type { TranscriptMessage } from "./state.ts";
import type { Ui } from "./ui.ts";

export interface ExtrasHost {
  /** The panel's: one copy of Preact renders both files' components. */
  readonly h: typeof h;
  readonly ui: Ui;
  /** Receives the style sheet of the extras. */
  readonly root: ShadowRoot;
  /** Draws a change of the messages, and stores it for reloads. */
  readonly changed: (save: boolean) => void;
}

/** Renders what stands below a finished answer. */
export type BelowAnswer = (answer: TranscriptMessage) => ComponentChildren;

export type StartExtras = (host: ExtrasHost) => BelowAnswer;
