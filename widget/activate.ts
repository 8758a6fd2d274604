/** Starts the widget of a script tag: reads its settings, mounts it and exposes its handle. */
import { type Appearance, loadAppearance, withAppearance } from "./appearance.ts";
import { type ReadAttribute, readConfig, type WidgetConfig } from "./config.ts";
import { Conversation } from "./conversation.ts";
import { createEmitter } from "./emitter.ts";
import { failureMessage } from "./failure.ts";
import type { WidgetScript } from "./find_script.ts";
import { createHandle, type WidgetHandle } from "./handle.ts";
import { developerHint } from "./developer_hints.ts";
import { findLocale, type Languages } from "./locales.ts";
import { mount } from "./mount.tsx";
import { Session } from "./session.ts";
import { createTabStore } from "./tab_store.ts";
import type { View } from "./ui.ts";
import { createReconnectTimer } from "./reconnect_timer.ts";

/** The page's widgets by service and agent, shared by all copies of the script. */
const RUNNING = Symbol.for("agent-chat.service-widgets");

/** A slow service delays the launcher at most this long; its look then changes when it is known. */
const APPEARANCE_MS = 800;

interface Running {
  readonly handle: WidgetHandle;
  /** Adds the widget again to a page that has replaced its body. */
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

/** A second tag for the same agent, say from a tag manager, gets the handle of the first. */
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
    read: (name) => script.getAttribute(name),
    nth: all.size,
    forget() {
      all.delete(key);
      delete script.serviceWidget;
      if (page.serviceWidget === started.handle) page.serviceWidget = [...all.values()][0]?.handle;
    },
  });
  all.set(key, started);
  // All panels open in the same place.
  started.handle.on("open", () => all.forEach((one) => one !== started && one.handle.close()));
  script.serviceWidget = started.handle;
  // Not `??=`: an element with this id would also be `window.serviceWidget`.
  if (all.size === 1) page.serviceWidget = started.handle;
  dispatchReady(script, started.handle);
}

function start(
  config: WidgetConfig,
  { languages, css, read, nth, forget }: WidgetAssets & {
    readonly read: ReadAttribute;
    readonly nth: number;
    readonly forget: () => void;
  },
): Running {
  const options = {
    endpoint: config.sessionEndpoint,
    fetcher: fetch.bind(globalThis),
    now: Date.now,
  };
  const session = new Session({
    token: config.sessionToken,
    onAppearance: (found) => applyAppearance(found),
    ...options,
  });
  const tab = createTabStore(config.agentId, () => sessionStorage);
  const emitter = createEmitter();
  const reconnectTimer = createReconnectTimer({
    onWake: (silence) => conversation.wake(silence),
    onLeave: () => tab.save(conversation.state),
  });
  let draw = () => {};
  let removed = false;
  const conversation: Conversation = new Conversation({
    ...config,
    ...options,
    session,
    emitter,
    saved: tab.load(),
    // Defined in every secure context: https and localhost.
    newId: () => crypto.randomUUID(),
    pause: reconnectTimer.pause,
    describe: (failure) => failureMessage(failure, view.locale, Date.now()),
    warn: (code, requestId) => console.error(developerHint(code, requestId)),
    changed(save) {
      if (save) tab.save(conversation.state);
      draw();
    },
  });
  const handle = createHandle({
    conversation,
    emitter,
    setLocale(tag) {
      language = tag;
      configure();
    },
    setAppearance(found) {
      applyAppearance(chosen = found);
    },
    remove() {
      removed = true;
      reconnectTimer.end();
      mounted?.remove();
      forget();
    },
  });
  let language = "";
  let appearance: Appearance = {};
  /** The page's own, which what is loaded must not replace. */
  let chosen: Appearance | undefined;
  const locale = findLocale("", languages);
  const view: View = { conversation, session, handle, config, locale, nth };
  const configure = () => {
    view.config = readConfig(withAppearance(read, appearance), document.baseURI) as WidgetConfig;
    const tag = language || view.config.lang || document.documentElement.lang;
    view.locale = findLocale(tag, languages);
    draw();
  };
  const applyAppearance = (found: Appearance) => {
    appearance = chosen ?? found;
    configure();
  };
  let mounted: ReturnType<typeof mount> | undefined;
  const show = () =>
    whenBody(() => {
      if (removed || mounted) return;
      configure();
      mounted = mount(view, css);
      draw = mounted.draw;
      draw();
      conversation.resume();
      if (view.config.open || view.config.page) handle.open();
    });
  loadAppearance({ ...config, ...options }).then((found) => {
    if (found) applyAppearance(found);
    show();
  });
  setTimeout(show, APPEARANCE_MS);
  return { handle, attach: () => mounted?.attach() };
}

/** A tag in the head runs before there is a body to render into. */
function whenBody(draw: () => void): void {
  if (document.body) draw();
  else document.addEventListener("DOMContentLoaded", draw, { once: true });
}

/** In a microtask, so that code that inserts the script can still add its listener. */
function dispatchReady(script: WidgetScript, handle: WidgetHandle): void {
  queueMicrotask(() => {
    const ready = new CustomEvent("service-widget:ready", { detail: handle, bubbles: true });
    (script.isConnected ? script : document).dispatchEvent(ready);
  });
}
