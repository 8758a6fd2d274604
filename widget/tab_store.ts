/** What a reload of the tab finds again. Where storage is blocked the page's memory has to do. */
import type { SavedState, State } from "./state.ts";

export interface TabStore {
  load(): SavedState | undefined;
  /** Nothing is written before the visitor writes, and nothing stays when all is forgotten. */
  save(state: State): void;
}

/** `storage` may throw, as browsers do when a site's data is blocked. */
export function createTabStore(name: string, storage: () => Storage): TabStore {
  const key = `service-widget:${name}`;
  return {
    load() {
      try {
        const saved = JSON.parse(storage().getItem(key)!);
        return Array.isArray(saved?.turns) ? saved : undefined;
      } catch {
        return undefined;
      }
    },
    save({ open, turns, nextId, conversationId, attempt, draft }) {
      try {
        const saved: SavedState = { open, turns, nextId, conversationId, attempt, draft };
        if (turns.length || draft) storage().setItem(key, JSON.stringify(saved));
        else storage().removeItem(key);
      } catch { /* full or blocked: the conversation lives on until the page is left */ }
    },
  };
}
