/** Holds one state, applies actions to it and tells whoever listens. */
import { type Action, INITIAL, reduce, type WidgetState } from "./state.ts";

export interface Store {
  get(): WidgetState;
  dispatch(action: Action): void;
  /** Returns the function that ends the subscription. */
  subscribe(listener: () => void): () => void;
}

export function createStore(): Store {
  let state = INITIAL;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    dispatch(action) {
      const next = reduce(state, action);
      if (next === state) return;
      state = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
