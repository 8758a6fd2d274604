import { useLayoutEffect, useRef } from "preact/hooks";
import type { WidgetConfig } from "../config.ts";
import type { Conversation } from "../conversation.ts";
import type { WidgetHandle } from "../handle.ts";
import type { Store } from "../store.ts";
import { useStore } from "../use_store.ts";
import { Launcher } from "./Launcher.tsx";
import { Panel } from "./Panel.tsx";

export interface AppProps {
  readonly store: Store;
  readonly conversation: Conversation;
  readonly handle: WidgetHandle;
  readonly config: WidgetConfig;
}

/** The launcher and the panel, and where the keyboard focus goes between them. */
export function App({ store, conversation, handle, config }: AppProps) {
  const state = useStore(store);
  const launcher = useRef<HTMLButtonElement>(null);
  const input = useRef<HTMLTextAreaElement>(null);
  const wasOpen = useRef(false);

  useLayoutEffect(() => {
    if (state.open === wasOpen.current) return;
    wasOpen.current = state.open;
    if (state.open) input.current?.focus({ preventScroll: true });
    else if (hasFocus(launcher.current)) launcher.current?.focus({ preventScroll: true });
  }, [state.open]);

  return (
    <div
      lang="en"
      class={state.open ? "widget is-open" : "widget"}
      onKeyDown={(e) => onEscape(e, handle)}
    >
      <Panel {...{ state, conversation, handle, config, input }} />
      <Launcher
        open={state.open}
        unread={state.unread}
        onClick={handle.toggle}
        elementRef={launcher}
      />
    </div>
  );
}

/** Escape that ends an input method's composition must not close the panel. */
function onEscape(event: KeyboardEvent, handle: WidgetHandle): void {
  if (event.key !== "Escape" || event.isComposing) return;
  event.stopPropagation();
  handle.close();
}

/** Focus elsewhere on the page is left alone when a script closes the panel. */
function hasFocus(element: HTMLElement | null): boolean {
  return (element?.getRootNode() as ShadowRoot | undefined)?.activeElement != null;
}
