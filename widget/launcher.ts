/**
 * The closed widget. It holds the page's handle, and loads the panel's file when a visitor comes near
 * it, when a chat must continue, or when the page calls for it. What is asked of the chat until then
 * is kept, and done in order.
 */
import type { Running } from "./activate.ts";
import { type Appearance, loadAppearance, withAppearance } from "./appearance.ts";
import { type ReadAttribute, readConfig, type WidgetConfig } from "./config.ts";
import type { PageTool } from "./client/page_tool.ts";
import type { Conversation } from "./conversation.ts";
import { createEmitter } from "./emitter.ts";
import type { WidgetHandle } from "./handle.ts";
import { createFileLoader } from "./load_file.ts";
import { findLocale, type Languages } from "./locales.ts";
import type { LauncherView, Panel, StartPanel } from "./panel_host.ts";
import { createShell, type Shell } from "./shell.ts";
import { UNAVAILABLE } from "./string_ids.ts";
import type { SavedState } from "./state.ts";
import { createTabStore } from "./tab_store.ts";

/** Defined by the bundler: the panel's file, whose name has its hash, and its integrity value. */
declare const PANEL_FILE: string;
declare const PANEL_INTEGRITY: string;

/** A slow service delays the launcher at most this long; its look then changes when it is known. */
const APPEARANCE_MS = 800;
/** What the closed launcher shows. If the tag says it all, nothing is asked before the panel loads. */
const CLOSED_LOOK = ["accent", "theme", "position", "title", "lang"];

export interface LauncherOptions {
  readonly languages: Languages;
  readonly read: ReadAttribute;
  /** The tag. */
  readonly script: HTMLScriptElement;
  readonly nth: number;
  readonly forget: () => void;
}

export function startLauncher(
  config: WidgetConfig,
  { languages, read, script, nth, forget }: LauncherOptions,
): Running {
  const { src, nonce } = script;
  const loadFile = createFileLoader(src || `${config.apiBase}/`, nonce);
  const emitter = createEmitter();
  const tools = new Set<[string, PageTool]>();
  const tab = createTabStore(config.agentId, () => sessionStorage);
  /** Until the panel has it. */
  const saved: SavedState = tab.load() ?? { open: false, turns: [], nextId: 1 };
  const waiting: ((conversation: Conversation) => void)[] = [];
  /** The listeners that the panel replaces. */
  const ending = new AbortController();
  let token = config.sessionToken;
  let busy: unknown = saved.attempt;
  /** A run of a conversation that the page has ended: the panel cancels it. */
  let dropped: SavedState["attempt"];
  let panel: Panel | undefined;
  let shell: Shell | undefined;
  let loading: boolean | undefined;
  let attempt = 0;
  let failed: boolean | undefined;
  let removed: boolean | undefined;
  let language: string | undefined;
  let appearance: Appearance = {};
  /** The page's own, which what is loaded must not replace. */
  let chosen: Appearance | undefined;

  const draw = () => panel ? panel.draw() : shell?.paint();
  const configure = () => {
    // On a page from right to left the other side, unless the tag or the appearance says one.
    const { direction } = getComputedStyle(document.body ?? document.documentElement);
    view.read = withAppearance(read, { position: direction, ...appearance });
    view.config = readConfig(view.read, document.baseURI) as WidgetConfig;
    const tag = language || view.config.lang || document.documentElement.lang;
    view.locale = findLocale(tag, panel?.languages ?? languages);
    draw();
  };
  const applyAppearance = (found: Appearance) => {
    appearance = chosen ?? found;
    configure();
  };
  const show = (open: boolean) => {
    if (panel) return panel.conversation.show(open);
    if (saved.open === open || removed) return;
    saved.open = open;
    emitter.emit(open ? "open" : "close", undefined);
    tab.save(saved);
    if (open) load();
    draw();
    shell?.focus();
  };
  const later = (call: (conversation: Conversation) => void) =>
    panel ? call(panel.conversation) : void waiting.push(call);
  /** As the panel does: nothing is sent while an answer arrives. */
  const sendLater = (text: string, call: (conversation: Conversation) => void) => {
    if (busy || removed || !text.trim()) return false;
    busy = true;
    later(call);
    load();
    return true;
  };

  const handle: WidgetHandle = {
    open: () => show(true),
    close: () => show(false),
    toggle: () => show(!(panel?.conversation.state ?? saved).open),
    send(text) {
      text = `${text}`;
      return panel
        ? panel.conversation.send(text)
        : sendLater(text, (conversation) => conversation.send(text));
    },
    stop() {
      busy = false;
      later((conversation) => conversation.stop());
    },
    newConversation() {
      if (!panel) {
        // At once, because the page may be left before the panel is there.
        dropped ??= saved.attempt;
        saved.turns = [];
        saved.attempt = saved.conversationId = saved.calls = undefined;
        tab.save(saved);
        busy = false;
      }
      later((conversation) => conversation.restart());
    },
    setSessionToken(text) {
      token = `${text}`.trim();
      panel?.conversation.setSessionToken(token);
    },
    setLocale(tag) {
      language = `${tag}`;
      configure();
    },
    setAppearance(found) {
      applyAppearance(chosen = found);
    },
    registerTool(...entry) {
      tools.add(entry);
      return () => tools.delete(entry);
    },
    on: emitter.on,
    destroy() {
      panel?.conversation.stop();
      removed = true;
      ending.abort();
      panel?.end();
      shell?.host.remove();
      forget();
      emitter.emit("destroy", undefined);
    },
  };
  const view: LauncherView = {
    ...{ config, read, handle, tools, locale: findLocale("", languages), nth },
  };

  let asked: Promise<void> | undefined;
  const askAppearance = () =>
    asked ??= loadAppearance({ ...config, fetcher: fetch.bind(globalThis) })
      .then((found) => found && applyAppearance(found));
  const attach = () => void (shell && !shell.host.isConnected && document.body.append(shell.host));
  let mounted: () => void;
  const mounting = new Promise<void>((resolve) => mounted = resolve);
  const mount = () =>
    whenBody(() => {
      if (removed || shell) return;
      const made = createShell({
        ...{ view, saved, load, failed: () => failed, signal: ending.signal },
        // The text stays in the field until it is sent, and so it survives a reload.
        send(field) {
          const { length } = field.value;
          sendLater(field.value, (conversation) => {
            conversation.send(field.value.slice(0, length));
            conversation.state.draft = field.value = field.value.slice(length);
          });
        },
      });
      configure();
      // Before it is `shell`: a panel that opens with the page must not take the focus.
      if (view.config.open || view.config.page) show(true);
      shell = made;
      draw();
      attach();
      mounted();
    });

  function load(): void {
    askAppearance();
    if (loading || removed) return;
    loading = true;
    failed = false;
    loadFile<StartPanel>({
      name: PANEL_FILE,
      integrity: PANEL_INTEGRITY,
      attempt: attempt++,
      loaded: (start) => mounting.then(() => takeOver(start)),
      failed(url) {
        if (panel) return;
        loading = false;
        failed = true;
        draw();
        const code = "panel_not_loaded";
        console.error(`[service-widget] ${code}: does script-src allow it? (${url})`);
        emitter.emit("error", { code, message: view.locale.t(UNAVAILABLE) });
      },
    });
    draw();
  }

  function takeOver(start: StartPanel): void {
    if (removed || panel) return;
    const { root, field } = shell!;
    ending.abort();
    saved.draft = field.value;
    panel = start({
      ...{ view, root, emitter, tab, token, read, languages, loadFile },
      saved: { ...saved, attempt: saved.attempt ?? dropped },
      onAppearance: applyAppearance,
    });
    configure();
    panel.conversation.resume();
    for (const call of waiting) call(panel.conversation);
  }

  addEventListener("pagehide", () => tab.save(saved), ending);
  if (CLOSED_LOOK.every((name) => read(`data-${name}`) !== null)) mount();
  else {
    askAppearance().then(mount);
    setTimeout(mount, APPEARANCE_MS);
  }
  if (config.open || config.page || saved.open || saved.attempt || saved.handoff) load();
  return { handle, attach };
}

/** A tag in the head runs before there is a body to render into. */
function whenBody(draw: () => void): void {
  if (document.body) draw();
  else document.addEventListener("DOMContentLoaded", draw, { once: true });
}
