/** The script behind `widget.v1.js`: reads its tag, draws the widget, hands out the handle. */
import { createChatClient } from "./chat_client.ts";
import { readConfig, type WidgetConfig } from "./config.ts";
import { Conversation } from "./conversation.ts";
import { createEmitter } from "./emitter.ts";
import { findScript, type WidgetScript } from "./find_script.ts";
import { createHandle, type WidgetHandle } from "./handle.ts";
import { mount } from "./mount.tsx";
import { randomId } from "./random_id.ts";
import { createStore } from "./store.ts";

/** `document.currentScript` is only there while the script runs for the first time. */
const script = findScript(document.currentScript);
/** A symbol, because an element with `id="serviceWidget"` would also be `window.serviceWidget`. */
const RUNNING = Symbol.for("agent-chat.service-widget");
const page = globalThis as unknown as {
  [RUNNING]?: WidgetHandle | undefined;
  serviceWidget?: WidgetHandle | undefined;
};

if (script) activate(script);

/** One widget a page: a second tag, say from a tag manager, gets the handle of the first. */
function activate(script: WidgetScript): void {
  const running = page[RUNNING];
  if (running) {
    script.serviceWidget = running;
    return console.warn("[service-widget] the widget is already on this page");
  }
  const result = readConfig((name) => script.getAttribute(name), document.baseURI);
  if (!result.ok) return console.error(`[service-widget] ${result.problems.join("; ")}`);
  const handle = start(script, result.config);
  page[RUNNING] = page.serviceWidget = script.serviceWidget = handle;
}

function start(script: WidgetScript, config: WidgetConfig): WidgetHandle {
  const store = createStore();
  const emitter = createEmitter();
  const conversation = new Conversation(store, {
    agentId: config.agentId,
    sessionToken: config.sessionToken,
    pageOrigin: location.origin,
    client: createChatClient(config.apiBase, (input, init) => fetch(input, init)),
    emitter,
    newId: randomId,
    now: Date.now,
    warn: (text) => console.error(text),
  });
  let unmount = () => {};
  let removed = false;
  const handle = createHandle({
    store,
    conversation,
    emitter,
    remove() {
      removed = true;
      unmount();
      page[RUNNING] = page.serviceWidget = undefined;
      delete script.serviceWidget;
    },
  });
  whenBody(() => {
    if (removed) return;
    unmount = mount({ store, conversation, handle, config });
    announce(script, handle);
  });
  return handle;
}

/** The tag may stand in the head, before there is a body to draw into. */
function whenBody(draw: () => void): void {
  if (document.body) draw();
  else document.addEventListener("DOMContentLoaded", draw, { once: true });
}

/** A microtask later, so that whoever loads the script can still add its listener after the tag. */
function announce(script: WidgetScript, handle: WidgetHandle): void {
  queueMicrotask(() => {
    const ready = () => new CustomEvent("service-widget:ready", { detail: handle });
    script.dispatchEvent(ready());
    document.dispatchEvent(ready());
  });
}
