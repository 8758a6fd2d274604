/** The page's handle of the widget: `script.serviceWidget`, `window.serviceWidget`. */
import type { Appearance } from "./appearance.ts";
import type { PageTool } from "./client/page_tool.ts";
import type { Emitter } from "./emitter.ts";

export interface WidgetHandle {
  open(): void;
  close(): void;
  toggle(): void;
  /** Sends as if the visitor had typed it. False if empty or while an answer arrives. */
  send(text: string): boolean;
  stop(): void;
  newConversation(): void;
  /** Sets a new `cs_` token; the conversation continues. */
  setSessionToken(token: string): void;
  /** Sets the interface language, a BCP 47 tag. */
  setLocale(tag: string): void;
  /** Changes the look and texts that the tag's attributes leave open. */
  setAppearance(appearance: Appearance): void;
  /**
   * Registers a function of the page that the agent may call as a tool of type `client` with this name.
   * Returns the function that unregisters it.
   */
  registerTool(name: string, tool: PageTool): () => void;
  /** Adds a listener and returns the function that removes it. */
  on: Emitter["on"];
  /** Stops any answer and removes the widget from the page. */
  destroy(): void;
}
