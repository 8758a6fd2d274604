/** What the launcher and the panel, which are two files, give to each other. */
import type { Appearance } from "./appearance.ts";
import type { ReadAttribute, WidgetConfig } from "./config.ts";
import type { PageTool } from "./client/page_tool.ts";
import type { Conversation } from "./conversation.ts";
import type { Emitter } from "./emitter.ts";
import type { WidgetHandle } from "./handle.ts";
import type { LoadFile } from "./load_file.ts";
import type { Languages, Locale } from "./locales.ts";
import type { SavedState } from "./state.ts";
import type { TabStore } from "./tab_store.ts";

/** What is shown, and how. The launcher keeps it up to date for the panel as well. */
export interface LauncherView {
  readonly handle: WidgetHandle;
  config: WidgetConfig;
  /** The attributes of the tag, and what the service says instead of those that are absent. */
  read: ReadAttribute;
  locale: Locale;
  /** Functions of the page that the agent may call, with the names of its tools. The last one counts. */
  readonly tools: ReadonlySet<readonly [string, PageTool]>;
  /** Number of widgets on the page before this one; their launchers are placed side by side. */
  readonly nth: number;
}

export interface PanelHost {
  readonly view: LauncherView;
  /** Holds the launcher's elements, which the panel takes over: a focused field stays focused. */
  readonly root: ShadowRoot;
  readonly emitter: Emitter;
  readonly tab: TabStore;
  readonly saved: SavedState;
  readonly token: string;
  /** Reads the tag, without the appearance. */
  readonly read: ReadAttribute;
  readonly languages: Languages;
  readonly onAppearance: (found: Appearance) => void;
  /** For the extras, with the rights that the page gave to the launcher. */
  readonly loadFile: LoadFile;
}

export interface Panel {
  readonly conversation: Conversation;
  /** The launcher's strings and the panel's. */
  readonly languages: Languages;
  readonly draw: () => void;
  readonly end: () => void;
}

export type StartPanel = (host: PanelHost) => Panel;
