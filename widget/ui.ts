/** What the components share. */
import type { FunctionComponent, RefObject } from "preact";
import type { WidgetConfig } from "./config.ts";
import type { Conversation } from "./conversation.ts";
import type { Slot } from "./extras/slot.ts";
import type { Locale } from "./locales.ts";
import type { LauncherView } from "./panel_host.ts";
import type { isSendKey } from "./send_key.ts";
import type { Session } from "./session.ts";
import type { stripMarkup } from "./answer_text.ts";
import { ASSISTANT } from "./string_ids.ts";

export interface View extends LauncherView {
  readonly conversation: Conversation;
  readonly session: Session;
  /** What the extras render in their places. */
  slot: Slot;
}

/** What a message needs, so that the dashboard's playground can show one by itself. */
export interface MessageUi {
  readonly conversation: Pick<Conversation, "announceText">;
  readonly config: Pick<WidgetConfig, "avatar" | "imageOrigins">;
  readonly locale: Locale;
  slot?: Slot;
}

export interface Ui extends View {
  readonly log: RefObject<HTMLDivElement>;
  readonly input: RefObject<HTMLTextAreaElement>;
  readonly launcher: RefObject<HTMLButtonElement>;
  /** The draft at the time of the first render. */
  readonly initialDraft: string | undefined;
  /** The reader has scrolled away from the end and should stay there. */
  away: boolean;
  readonly scrollToEnd: () => void;
  /** Scrolls to the end after the layout changed, unless the reader has scrolled away. */
  readonly stickToEnd: () => void;
  readonly onScroll: () => void;
  /** What the panel's file has already, for the extras. */
  readonly lent: {
    readonly CopyButton: FunctionComponent<{ readonly ui: MessageUi; readonly text: string }>;
    readonly isSendKey: typeof isSendKey;
    readonly stripMarkup: typeof stripMarkup;
  };
}

export function panelTitle({ config, locale }: Ui): string {
  return config.title || locale.t(ASSISTANT);
}
