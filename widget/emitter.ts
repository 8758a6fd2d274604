/** The events that a page can listen to through the handle. */

export interface WidgetEvents {
  open: undefined;
  close: undefined;
  /** The visitor, or the page, sent a message. */
  message: { readonly text: string };
  /** The service accepted a run. */
  start: { readonly conversationId: string; readonly runId: string };
  /** A run ended; `text` is the whole answer. */
  answer: { readonly text: string; readonly finishReason: string };
  error: { readonly code: string; readonly message: string };
  /** A new token is needed: mint one and call `setSessionToken`. */
  "session-expired": { readonly code: string };
  destroy: undefined;
}

export type Listener<K extends keyof WidgetEvents> = (detail: WidgetEvents[K]) => void;

export interface Emitter {
  on<K extends keyof WidgetEvents>(name: K, listener: Listener<K>): () => void;
  emit<K extends keyof WidgetEvents>(name: K, detail: WidgetEvents[K]): void;
}

export function createEmitter(): Emitter {
  const all = new Map<string, Set<(detail: never) => void>>();
  return {
    on(name, listener) {
      const listeners = all.get(name) ?? new Set();
      all.set(name, listeners.add(listener));
      return () => listeners.delete(listener);
    },
    emit(name, detail) {
      for (const listener of [...(all.get(name) ?? [])]) {
        try {
          listener(detail as never);
        } catch (error) {
          // A listener that throws must not break the chat; its error still reaches the console.
          reportError(error);
        }
      }
    },
  };
}
