/** Stores the state for reloads of the tab. If storage is blocked, the state lives in memory. */
import type { SavedState } from "./state.ts";

export interface TabStore {
  load(): SavedState | undefined;
  /** Removes the entry while there is neither a message nor a draft. */
  save(state: SavedState): void;
}

/** `storage` throws in browsers that block the site's data. */
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
    save({ open, turns, nextId, conversationId, attempt, draft, files, handoff, calls }) {
      try {
        const saved: SavedState = {
          ...{ open, turns, nextId, conversationId, attempt, draft, files, handoff, calls },
        };
        if (turns.length || draft || files) storage().setItem(key, JSON.stringify(saved));
        else storage().removeItem(key);
      } catch { /* full or blocked: the state lives in memory until the page is left */ }
    },
  };
}
