/** What the features of the extras share. */
import type { ComponentChildren } from "preact";
import type { TranscriptMessage } from "../state.ts";
import type { ExtrasHost } from "./extras_host.ts";
import type { Slot } from "./slot.ts";
import type { ServiceCall } from "./service_call.ts";

/** An entry of the menu behind the button "More". */
export interface MenuItem {
  readonly label: string;
  /** On a grid of 24 pixels. */
  readonly icon: string;
  /** For a switch. */
  readonly isPressed?: boolean | undefined;
  /** The menu is closed before; what the press opens takes the focus. */
  readonly onPress: () => void;
}

/** Something over the messages: one at a time. */
export interface Sheet {
  readonly label: string;
  readonly render: () => ComponentChildren;
}

export interface ExtrasContext extends ExtrasHost {
  /** A text by its id, in the visitor's language. */
  readonly t: (id: number) => string;
  readonly callService: ServiceCall;
  /** Called when the menu is drawn; an item that does not apply is left out. */
  readonly menuItems: (() => MenuItem | undefined | false)[];
  /** What stands in the row below a finished answer, after the button that copies it. */
  readonly answerActions: ((answer: TranscriptMessage) => ComponentChildren)[];
  sheet: Sheet | undefined;
  /** The sheet was opened and takes the focus when it is drawn. */
  takesFocus: boolean;
}

/** A feature registers its menu items, and returns what it renders. */
export type Feature = (context: ExtrasContext) => Slot | undefined;

/** Shows a sheet instead of the one before, or with `undefined` none: the focus returns to the menu's button. */
export function showSheet(context: ExtrasContext, sheet: Sheet | undefined): void {
  context.sheet = sheet;
  context.takesFocus = !!sheet;
  if (!sheet) context.root.querySelector<HTMLElement>(".more")?.focus();
  context.changed(false);
}
