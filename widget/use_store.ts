import { useEffect, useState } from "preact/hooks";
import type { WidgetState } from "./state.ts";
import type { Store } from "./store.ts";

/** The store's state, drawn again whenever it changes. */
export function useStore(store: Store): WidgetState {
  const [state, setState] = useState(store.get);
  useEffect(() => {
    const update = () => setState(store.get());
    update(); // what happened between drawing and listening
    return store.subscribe(update);
  }, [store]);
  return state;
}
