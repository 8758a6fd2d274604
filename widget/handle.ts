/** What a page gets to drive the widget with: `script.serviceWidget`, `window.serviceWidget`. */
import type { Conversation } from "./conversation.ts";
import type { Emitter } from "./emitter.ts";
import type { Store } from "./store.ts";

export interface WidgetHandle {
  open(): void;
  close(): void;
  toggle(): void;
  /** Sends as if the visitor had typed it. False when empty or while an answer arrives. */
  send(text: string): boolean;
  stop(): void;
  newConversation(): void;
  /** Swaps in a fresh `cs_` token; the conversation goes on. */
  setSessionToken(token: string): void;
  /** Listens; returns the function that ends it. */
  on: Emitter["on"];
  /** Stops any answer and removes the widget from the page. */
  destroy(): void;
}

export interface HandleParts {
  readonly store: Store;
  readonly conversation: Conversation;
  readonly emitter: Emitter;
  readonly remove: () => void;
}

export function createHandle({ store, conversation, emitter, remove }: HandleParts): WidgetHandle {
  const show = (open: boolean) => {
    if (store.get().open === open) return;
    store.dispatch({ type: open ? "opened" : "closed" });
    emitter.emit(open ? "open" : "close", undefined);
  };
  return Object.freeze({
    open: () => show(true),
    close: () => show(false),
    toggle: () => show(!store.get().open),
    send: (text: string) => conversation.send(String(text)),
    stop: () => conversation.stop(),
    newConversation: () => conversation.restart(),
    setSessionToken: (token: string) => conversation.setSessionToken(String(token).trim()),
    on: emitter.on,
    destroy() {
      conversation.restart();
      remove();
      emitter.emit("destroy", undefined);
    },
  });
}
