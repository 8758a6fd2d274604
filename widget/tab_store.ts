/** Stores the state for reloads of the tab. If storage is blocked, the state lives in memory. */
import type { Appearance } from "./appearance.ts";
import type { SavedState, State } from "./state.ts";

export interface TabStore {
  /** The appearance that this tab saw last, so that a page shows it at once. */
  readonly appearance: Appearance | undefined;
  /** Removes the entry if there is none, so that pages without one store nothing. */
  saveAppearance(appearance: Appearance | undefined): void;
  load(): SavedState | undefined;
  /** Removes the entry while there is neither a message nor a draft. */
  save(state: State): void;
}

/** `storage` throws in browsers that block the site's data. */
export function createTabStore(name: string, storage: () => Storage): TabStore {
  const key = `service-widget:${name}`;
  const appearanceKey = `${key}:appearance`;
  const read = (key: string) => {
    try {
      return JSON.parse(storage().getItem(key)!) ?? undefined;
    } catch {
      return undefined;
    }
  };
  const write = (key: string, value: unknown) => {
    try {
      if (value) storage().setItem(key, JSON.stringify(value));
      else storage().removeItem(key);
    } catch { /* full or blocked: the value lives in memory until the page is left */ }
  };
  return {
    appearance: read(appearanceKey),
    saveAppearance: (appearance) => write(appearanceKey, appearance),
    load() {
      const saved = read(key);
      return Array.isArray(saved?.turns) ? saved : undefined;
    },
    save({ open, turns, nextId, conversationId, attempt, draft }) {
      const saved: SavedState = { open, turns, nextId, conversationId, attempt, draft };
      write(key, (turns.length || draft) && saved);
    },
  };
}
