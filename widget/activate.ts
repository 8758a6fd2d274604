/** Starts the widget of a script tag: reads its settings, draws it, hands out the handle. */
import { readConfig, type WidgetConfig } from "./config.ts";
import { Conversation } from "./conversation.ts";
import { createEmitter } from "./emitter.ts";
import { failureMessage } from "./failure.ts";
import type { WidgetScript } from "./find_script.ts";
import { createHandle, type WidgetHandle } from "./handle.ts";
import { developerHint } from "./developer_hints.ts";
import { findLocale, type Languages } from "./locales.ts";
import { mount, type View } from "./mount.tsx";
import { Session } from "./session.ts";
import { createTabStore } from "./tab_store.ts";
import { createReconnectTimer } from "./reconnect_timer.ts";

/** The widgets of this page by service and agent, whichever copy of the script made them. */
const RUNNING = Symbol.for("agent-chat.service-widgets");

interface Running {
  readonly handle: WidgetHandle;
  /** Puts the widget back where a page that exchanged its body has lost it. */
  readonly attach: () => void;
}

const page = globalThis as unknown as {
  [RUNNING]?: Map<string, Running>;
  serviceWidget?: WidgetHandle | undefined;
};

export interface WidgetAssets {
  readonly languages: Languages;
  /** The style sheet. */
  readonly css: string;
}

/** A tag for an agent that is already there, say from a tag manager, gets that one's handle. */
export function activate(script: WidgetScript, texts: WidgetAssets): void {
  const config = readConfig((name) => script.getAttribute(name), document.baseURI);
  if (Array.isArray(config)) return console.error(`[service-widget] ${config.join("; ")}`);
  const all = page[RUNNING] ??= new Map();
  const key = config.apiBase + config.agentId;
  const running = all.get(key);
  if (running) {
    script.serviceWidget = running.handle;
    return running.attach();
  }
  const started = start(config, {
    ...texts,
    nth: all.size,
    forget() {
      all.delete(key);
      delete script.serviceWidget;
      if (page.serviceWidget === started.handle) page.serviceWidget = [...all.values()][0]?.handle;
    },
  });
  all.set(key, started);
  // They open in one place.
  started.handle.on("open", () => all.forEach((one) => one !== started && one.handle.close()));
  script.serviceWidget = started.handle;
  // Not `??=`: an element with this id would be `window.serviceWidget` as well.
  if (all.size === 1) page.serviceWidget = started.handle;
  dispatchReady(script, started.handle);
}

function start(
  config: WidgetConfig,
  { languages, css, nth, forget }: WidgetAssets & {
    readonly nth: number;
    readonly forget: () => void;
  },
): Running {
  const options = {
    endpoint: config.sessionEndpoint,
    fetcher: fetch.bind(globalThis),
    now: Date.now,
  };
  const session = new Session({ token: config.sessionToken, ...options });
  const tab = createTabStore(config.agentId, () => sessionStorage);
  const emitter = createEmitter();
  const waker = createReconnectTimer({
    onWake: (silence) => conversation.wake(silence),
    onLeave: () => tab.save(conversation.state),
  });
  let draw = () => {};
  let gone = false;
  const conversation: Conversation = new Conversation({
    ...config,
    ...options,
    session,
    emitter,
    saved: tab.load(),
    // Defined wherever a session may be: https and localhost.
    newId: () => crypto.randomUUID(),
    pause: waker.pause,
    sentence: (failure) => failureMessage(failure, view.locale, Date.now()),
    warn: (code, requestId) => console.error(developerHint(code, requestId)),
    changed(kept) {
      if (kept) tab.save(conversation.state);
      draw();
    },
  });
  const handle = createHandle({
    conversation,
    emitter,
    setLocale(tag) {
      view.locale = findLocale(tag, languages);
      draw();
    },
    remove() {
      gone = true;
      waker.end();
      mounted?.remove();
      forget();
    },
  });
  const locale = findLocale(config.lang || document.documentElement.lang, languages);
  const view: View = { conversation, session, handle, config, locale, nth };
  let mounted: ReturnType<typeof mount> | undefined;
  whenBody(() => {
    if (gone) return;
    mounted = mount(view, css);
    draw = mounted.draw;
    draw();
    conversation.resume();
    if (config.open) handle.open();
  });
  return { handle, attach: () => mounted?.attach() };
}

/** The tag may stand in the head, before there is a body to draw into. */
function whenBody(draw: () => void): void {
  if (document.body) draw();
  else document.addEventListener("DOMContentLoaded", draw, { once: true });
}

/** A microtask later, so that whoever loads the script can still add its listener after the tag. */
function dispatchReady(script: WidgetScript, handle: WidgetHandle): void {
  queueMicrotask(() => {
    const ready = new CustomEvent("service-widget:ready", { detail: handle, bubbles: true });
    (script.isConnected ? script : document).dispatchEvent(ready);
  });
}
